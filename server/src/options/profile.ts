import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import type { JsonObject } from '../base/json/json.ts'
import { didYouMean } from '../base/near-names.ts'
import { decodeText } from '../base/utf8.ts'
import { headerPrefix as contractPrefix } from '../generated/facts.ts'
import { faultOf } from './check.ts'
import { dialectMembers, type Members, type Refuse, readDialect } from './dialect.ts'
import { ProfileError } from './errors.ts'
import { type Option, options as table } from './table.ts'
import type { VaultOptions } from './vault-options.ts'

type GivenOptions = { readonly [Name in keyof VaultOptions]: VaultOptions[Name] | undefined }
type Texts = Readonly<Record<string, string>>

/** The table of options, as if all had values of one type: each is only given its own. */
const entries = Object.entries(table) as [keyof VaultOptions, Option][]

/** The members of a profile by name, with their JSON Schema. One without a value, which YAML reads as null, is absent. */
export const profileMembers: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  [
    ...entries.flatMap(([, { profile, schema: own }]): [string, JsonObject][] => {
      if (!profile) return []
      const { name, schema = own, description } = profile
      return [[name, { ...schema, description }]]
    }),
    ...Object.entries(dialectMembers),
  ].map(([name, schema]) => [name, { ...schema, type: [schema.type as string, 'null'] }]),
)
const names = Object.keys(profileMembers)
/** Editors find the schema of the file by it. */
const schemaName = '$schema'

/**
 * Returns the options with those of the file that `profile` names, which makes code written for another service run. An
 * option that is given counts more than the file; modules and origins are added to those of the file, and private
 * callbacks are allowed if either says so.
 *
 * @throws {ProfileError}
 */
export function withProfile({ profile: file, ...options }: GivenOptions): VaultOptions {
  const given = withoutAbsent(options)
  if (file === undefined) return given
  const refuse = refusing(file)
  const profile = checkedProfile(file, refuse)
  const read: Record<string, unknown> = { ...given }
  for (const [name, { profile: member }] of entries) {
    const value = member && profile[member.name]
    if (value !== undefined) read[name] = join(ofFile(name, value, dirname(file)), given[name])
  }
  const made = read as VaultOptions
  return { ...made, dialect: readDialect(profile, made.headerPrefix ?? contractPrefix, refuse) }
}

/** Returns the value of an option whose members of a profile name files or packages; any other as it is. */
function ofFile(name: keyof VaultOptions, value: unknown, folder: string): unknown {
  if (name === 'formulaClient') return resolve(folder, value as string)
  if (name !== 'formulaModules') return value
  const targetOf = (one: string) => (/^\.{1,2}\//.test(one) ? resolve(folder, one) : one)
  return Object.entries(value as Texts).map(([name, target]) => `${name}=${targetOf(target)}`)
}

/** Joins the value of a profile and the one that is given, which otherwise counts more. */
function join(inProfile: unknown, given: unknown): unknown {
  if (given === undefined) return inProfile
  if (Array.isArray(given)) return [...(inProfile as unknown[]), ...given]
  if (typeof given === 'object') return { ...(inProfile as object), ...given }
  return typeof given === 'boolean' ? given || inProfile : given
}

const refusing =
  (file: string): Refuse =>
  reason => {
    throw new ProfileError(`the profile ${file} ${reason}`)
  }

/** Returns the members that have a value. @throws {ProfileError} */
function checkedProfile(file: string, refuse: Refuse): Members {
  const members = readProfile(file, refuse)
  for (const [name, value] of Object.entries(members)) {
    if (name === schemaName) continue
    const schema = profileMembers[name]
    if (!schema) return refuse(`has an unknown member ${name}${didYouMean(name, names)}`)
    const fault = faultOf(name, schema, value)
    if (fault !== undefined) refuse(`is not valid: ${fault}`)
  }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))
}

/** Returns a function that returns the line on which a member of the profile stands; 1 is the first. */
export function linesOf(file: string): (path: readonly (string | number)[]) => number {
  const { LineCounter, parseDocument } = createRequire(import.meta.url)('yaml') as typeof import('yaml')
  const lineCounter = new LineCounter()
  const document = parseDocument(decodeText(readFileSync(file), `the profile ${file}`), { lineCounter })
  return path => {
    const { range } = document.getIn(path, true) as { readonly range: readonly [number] }
    return lineCounter.linePos(range[0]).line
  }
}

/** Returns the members of a profile, not checked. @throws {ProfileError} */
export function readProfile(file: string, refuse: Refuse = refusing(file)): Members {
  // Loaded only if there is a profile.
  const { parse: parseYaml } = createRequire(import.meta.url)('yaml') as typeof import('yaml')
  let bytes = new Uint8Array()
  let read: unknown
  try {
    bytes = readFileSync(file)
  } catch {
    refuse('cannot be read')
  }
  const text = decodeText(bytes, `the profile ${file}`)
  try {
    read = parseYaml(text)
  } catch (error) {
    refuse(`is not YAML: ${`${(error as Error).message}`.split('\n')[0]?.replace(/:$/, '')}`)
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    refuse(`must have some of ${names.join(', ')}`)
  return read as Members
}

const withoutAbsent = (options: GivenOptions): VaultOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
