import tap from 'tap'
import { capabilities, contract, openReference } from '../selftest/_reference.ts'
import type { Capability } from './capabilities.ts'
import type { Feature } from './features.ts'
import { tapEnd } from './report/tap.ts'
import { run } from './run.ts'
import { outcomeOf } from './verdict.ts'

tap.test('a case tests the features whose operations it sends, and is run if they are claimed', async t => {
  const reference = await openReference()
  t.teardown(reference.close)
  const outcomesOf = async (claims: readonly Feature[], only: readonly string[]) => {
    const made = await run(reference.target, { contract, capabilities, profile: 'surrogate', claims, only })
    return Object.fromEntries(
      made.results
        .filter(one => one.skipped === undefined)
        .map(one => [
          one.case.id,
          `${outcomeOf(one, 'surrogate')}${one.notSupported ? `: ${one.notSupported}` : ''}`,
        ]),
    )
  }
  const ids = [
    'SES-014.new-get',
    'SES-014.new-react',
    'AUT-015.none-get',
    'AUT-001.none-get-reactor',
    'IDE-501.other-caller',
  ]
  t.same(
    await outcomesOf(['tokens', 'sessions'], ids),
    {
      'SES-014.new-get': 'pass',
      'SES-014.new-react': 'not-supported: not claimed: formulas',
      'AUT-015.none-get': 'pass',
      'AUT-001.none-get-reactor': 'not-supported: not claimed: formulas',
      'IDE-501.other-caller': 'not-supported: not claimed: idempotency, access',
    },
    'without formulas and reactors',
  )
  t.same(
    await outcomesOf(['tokens'], ['TOK-046.get-token', 'TOK-046.get-card', 'AUT-013.get-token']),
    {
      'TOK-046.get-token': 'pass',
      'TOK-046.get-card': 'not-supported: not claimed: types',
      'AUT-013.get-token': 'pass',
    },
    'tokens alone: another tenant is part of every claim',
  )
  t.same(
    await outcomesOf(['tokens', 'access'], ['AUT-007.a', 'AUT-002.a']),
    { 'AUT-007.a': 'not-supported: not claimed: formulas', 'AUT-002.a': 'pass' },
    'permissions for what is not claimed',
  )
  t.same(
    await outcomesOf(['formulas', 'reactors'], ['AUT-001.none-get-reactor', 'AUT-012.foreign-get-reactor']),
    {
      'AUT-001.none-get-reactor': 'pass',
      'AUT-012.foreign-get-reactor': 'pass',
    },
    'without tokens',
  )
})

tap.test('the verdicts of a claim and of its features count the same cases', async t => {
  const reference = await openReference()
  t.teardown(reference.close)
  const { otherPrivateKey: _, otherManagementKey: __, ...alone } = reference.target
  const talliesOf = async (target: typeof reference.target, has: readonly Capability[]) => {
    const claims = ['tokens'] as const
    const made = await run(target, {
      contract,
      capabilities: new Set(has),
      claims,
      only: ['AUT-013'],
    })
    return { claimed: made.claimed, tokens: made.features.tokens }
  }
  const all = await talliesOf(reference.target, [...capabilities])
  t.same(all.tokens, all.claimed)
  const some = await talliesOf(
    alone,
    [...capabilities].filter(name => name !== 'second-tenant'),
  )
  t.same(some.tokens, some.claimed, 'without another tenant, whom every claim needs')
  t.ok((some.tokens?.passed ?? 0) < (all.tokens?.passed ?? 0), 'fewer are run')
})

tap.test('a claimed feature of which nothing was run makes the run invalid', async t => {
  const reference = await openReference()
  t.teardown(reference.close)
  const claimed = (claims: readonly Feature[], target = reference.target) =>
    run(target, { contract, claims, seed: 1 })
  const made = await claimed(['types'])
  const { total = 0 } = made.features.types ?? {}
  t.ok(total > 20, `${total} cases`)
  const verdict = { passed: 0, total, verdict: 'invalid run' }
  t.match(made, {
    exitCode: 2,
    claimed: verdict,
    features: { types: verdict },
    verdicts: { core: 'invalid run' },
  })
  t.equal(
    made.invalid,
    `no case was run of what is claimed: types: 0 of ${total} (not claimed: tokens)`,
    'its cases need tokens',
  )
  const both = await claimed(['tokens', 'types'])
  t.match(both, { exitCode: 0, invalid: undefined, claimed: { verdict: 'conformant' } }, 'the control')

  const { publicKey: _, ...withoutKey } = reference.target
  const keyless = await claimed(['sessions'], withoutKey as typeof reference.target)
  t.equal(keyless.exitCode, 2)
  t.match(keyless.invalid, /sessions: 0 of \d+ \(public\)$/, 'a setting is missing')
  const logs = await claimed(['tokens', 'logs'])
  t.match(logs, { exitCode: 0, invalid: undefined, features: { logs: undefined } })
  t.match(tapEnd(logs).join('\n'), /\n# note: logs is claimed, and the profile core has no case of it\n/)
  t.match((await claimed(['logs'])).invalid, 'the profile core has no case of what is claimed: logs')
})
