// In a process of its own: it takes long.
import t from 'tap'
import { fuzz } from './fuzz.ts'
import { describe } from './report.ts'
import { startTarget } from './target.ts'

// `.ci/run` sends many more.
t.test('a correct server has no findings in a few hundred requests', async t => {
  const report = await fuzz({ seed: 'npm test', count: 300, round: 150 })
  t.same(report.findings, [], describe(report, 'npm run verify -- fuzz'))
  t.equal(report.tally.count('', 'valid', 'none'), 0)
  t.ok(
    report.tally.count('', 'valid', '2xx') > report.tally.count('', 'valid') / 2,
    'valid requests are accepted',
  )
  t.ok(
    report.tally.count('', 'mutated', '4xx') > report.tally.count('', 'mutated') / 2,
    'mutated ones are refused',
  )
  t.ok(report.tally.count('', 'oversized') > 3)
  t.ok(report.tally.count('', 'wire') > 15)
})

t.test('the end of a server is found, with the case that caused it', async t => {
  const target = { preload: 'server/verify/fuzz/_sabotage.ts', env: { SABOTAGE: 'server ended' } }
  const { findings } = await fuzz({ seed: 'end-1', count: 60, target })
  t.ok(findings.some(({ fault, what }) => fault === 'server ended' && /exit code 3/.test(what)))
  t.ok(findings.some(({ one, alone }) => one?.operation === 'applications.update' && alone))
})

t.test('a server that cannot start is reported', async t => {
  await t.rejects(
    startTarget({ storage: 'memory:', dev: false, env: { SURROGATE_PORT: '1', SURROGATE_HOST: ' ' } }),
    /before it listened: .*--host/s,
  )
})
