import type { Test } from 'tap'
import { parse } from 'yaml'
import { readPackageFile } from '../src/files.ts'
import { readRequirements } from '../src/harness/requirements.ts'
import type { Run } from '../src/run.ts'
import { contract } from './_reference.ts'

type Reasons = Readonly<Record<string, string>>

export interface Uncovered {
  /** Why a requirement, an operation or a status code has no case. */
  readonly uncovered: Reasons
  /** Why no comment in the server or the contract names a requirement. */
  readonly unnamed: Reasons
}

export function readUncovered(): Uncovered {
  const { unnamed, ...uncovered } = parse(readPackageFile('uncovered.yaml')) as Uncovered &
    Record<string, unknown>
  return { uncovered: uncovered as Reasons, unnamed }
}

/** Checks that a run has met each status that the contract gives for an operation, or that a reason is given. */
export function metEachStatus(t: Test, made: Run): void {
  const { uncovered } = readUncovered()
  const met = new Set<string>()
  for (const { exchanges } of made.results)
    for (const { operation, status } of exchanges) if (operation) met.add(`${operation} ${status}`)
  const unmet = contract.operations
    .flatMap(({ id, responses }) => Object.keys(responses).map(status => `${id} ${status}`))
    .filter(one => !one.endsWith(' default') && !met.has(one))
  t.ok(met.size > 200, `${met.size} kinds of response`)
  const reasonsFor = (one: string) => [one, `* ${one.split(' ')[1]}`]
  const left = unmet.filter(one => !reasonsFor(one).some(name => name in uncovered))
  t.same(left, [], 'neither tested nor explained')
  const needed = new Set(unmet.flatMap(reasonsFor))
  const known = new Set(readRequirements().map(({ id }) => id))
  t.same(
    Object.keys(uncovered).filter(name => (name.includes(' ') ? !needed.has(name) : !known.has(name))),
    [],
    'explained, but tested or unknown',
  )
}
