// In a process of its own: it takes long.
import tap, { type Test } from 'tap'
import { contract, openReference } from '../selftest/_reference.ts'
import { metEachStatus } from '../selftest/_statuses.ts'
import type { Result } from './result.ts'
import { type RunOptions, run } from './run.ts'
import { loadCarrier } from './through/carrier.ts'
import { outcomeOf } from './verdict.ts'

const shown = (result: Result, profile: 'core' | 'surrogate') =>
  `${outcomeOf(result, profile)} ${result.case.id}: ${result.findings.map(found => found.message).join('; ')}${result.error ?? ''}`

async function conforms(t: Test, options: RunOptions = {}) {
  const reference = await openReference()
  t.teardown(reference.close)
  const made = await run(reference.target, { contract, profile: 'surrogate', concurrency: 4, ...options })
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
  return made
}

tap.test('our own server conforms to both profiles, and each documented status is met', async t => {
  metEachStatus(t, await conforms(t))
})

tap.test('our own server conforms through the client, which sends every operation', async t => {
  const reference = await openReference()
  t.teardown(reference.close)
  const made = await conforms(t, { carrier: await loadCarrier(reference.target, contract) })
  const carried = new Set(made.results.flatMap(result => result.carried))
  t.same(
    contract.operations.map(({ id }) => id).filter(id => !carried.has(id)),
    [],
  )
})
