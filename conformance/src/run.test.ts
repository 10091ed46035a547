// In a process of its own: it takes long.
import tap from 'tap'
import { contract, openReference } from '../selftest/_reference.ts'
import { metEachStatus } from '../selftest/_statuses.ts'
import type { Result } from './result.ts'
import { run } from './run.ts'
import { loadCarrier } from './through/carrier.ts'
import { outcomeOf } from './verdict.ts'

const shown = (result: Result, profile: 'core' | 'surrogate') =>
  `${outcomeOf(result, profile)} ${result.case.id}: ${result.findings.map(found => found.message).join('; ')}${result.error ?? ''}`

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
    metEachStatus(t, made)
    const carried = new Set(made.results.flatMap(result => result.carried))
    t.same(
      contract.operations.map(({ id }) => id).filter(id => !carried.has(id)),
      [],
    )
  },
)
