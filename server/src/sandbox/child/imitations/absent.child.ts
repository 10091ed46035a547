import { absentMembers } from './absent-members.child.ts'

type Kind = 'sockets' | 'files' | 'processes' | 'code'

/** Why the members of a module cannot be had, and what stands in for them. */
const reasons: Readonly<Record<Kind, (what: string) => string>> = {
  sockets: what => `formulas have no sockets: ${what} is not available; use fetch, http or https`,
  files: what =>
    `formulas have no files: ${what} is not available; readFile and writeFile keep files in memory`,
  processes: what => `formulas have no processes: ${what} is not available`,
  code: what => `formulas compile code with Function only: ${what} is not available`,
}

/** The code lets packages go on that try what a system may not have. */
function refusal(kind: Kind, what: string): Error {
  return Object.assign(new Error(reasons[kind](what)), { code: 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM' })
}

/** Returns a function that throws a sentence when it is called; packages inherit from some of them. */
function absentMember(kind: Kind, what: string): unknown {
  return function () {
    throw refusal(kind, new.target ? `new ${what}` : what)
  }
}

/** Returns what a module of Node has that formulas cannot have: packages may load it, and fail when they use it. */
export function absent(name: keyof typeof absentMembers, kind: Kind): Record<string, unknown> {
  const members = absentMembers[name].trim().split(/\s+/)
  return Object.fromEntries(members.map(member => [member, absentMember(kind, `${name}.${member}`)]))
}
