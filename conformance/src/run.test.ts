// In a process of its own: it takes long.
import tap from 'tap'
import { contract, openReference } from '../selftest/_reference.ts'
import { metEachStatus } from '../selftest/_uncovered.ts'
import { type Feature, featuresOf, featuresOfRequest } from './features.ts'
import type { Result } from './result.ts'
import { type Run, run } from './run.ts'
import { loadCarrier } from './through/carrier.ts'
import { outcomeOf } from './verdict.ts'

const shown = (result: Result, profile: 'core' | 'surrogate') =>
  `${outcomeOf(result, profile)} ${result.case.id}: ${result.findings.map(found => found.message).join('; ')}${result.error ?? ''}`

/** Features that a requirement is about although neither its area nor its operations say so. */
const about: Readonly<Record<string, readonly Feature[]>> = {
  'APP-508': ['sessions'],
  'APP-541': ['idempotency', 'logs'],
  'FOR-504': ['reactors'],
  'INV-008': ['types'],
  'INV-010': ['types'],
  'INV-023': ['asynchronous'],
  'SEA-027': ['types'],
  'SEA-028': ['types'],
  'SEA-030': ['types'],
  'SEA-542': ['types'],
  'SES-520': ['types'],
  'TOK-051': ['access'],
  'TOK-511': ['types'],
  'TOK-512': ['logs'],
  'TOK-520': ['types'],
  'TOK-521': ['types'],
  'TOK-554': ['types'],
}

/** Returns the requirements all of whose cases use a feature that they are not about: a server without it is not tested. */
function testedElsewhere({ results }: Run): string[] {
  const requirements = new Set(results.map(({ requirement }) => requirement))
  return [...requirements].flatMap(requirement => {
    const { id, operations } = requirement
    const own = results.filter(one => one.requirement === requirement)
    const meant = new Set<Feature>([
      'tokens',
      ...featuresOf({ id, needs: [] }, requirement),
      ...operations.flatMap(operation => featuresOfRequest(operation, [], undefined)),
      ...(about[id] ?? []),
    ])
    if (meant.has('reactors')) meant.add('formulas')
    const others = own.map(({ features }) => [...features].filter(name => !meant.has(name)))
    return others.every(names => names.length > 0) ? [`${id} needs ${others[0]?.join(' and ')}`] : []
  })
}

tap.test(
  'our own server conforms to both profiles through the client, which sends every operation',
  async t => {
    const reference = await openReference()
    t.teardown(reference.close)
    // CI runs all cases without the client, too, over the wire.
    const carrier = await loadCarrier(reference.target, contract)
    const made = await run(reference.target, { contract, profile: 'surrogate', concurrency: 4, carrier })
    t.same(
      made.results
        .map(result => [result, outcomeOf(result, 'surrogate')] as const)
        .filter(([, outcome]) => outcome !== 'pass')
        .map(([result]) => shown(result, 'surrogate')),
      [],
      `seed ${made.seed}`,
    )
    t.same(made.verdicts, { core: 'conformant', surrogate: 'conformant' })
    t.same(made.left, [], 'everything that was created is deleted')
    t.same(testedElsewhere(made), [], 'what a case merely uses does not decide if a requirement is tested')
    metEachStatus(t, made)
    const carried = new Set(made.results.flatMap(result => result.carried))
    t.same(
      contract.operations.map(({ id }) => id).filter(id => !carried.has(id)),
      [],
    )
  },
)
