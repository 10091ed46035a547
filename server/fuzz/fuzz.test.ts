// In a process of its own: it takes long.
import t from 'tap'
import { fuzz } from './fuzz.ts'
import { describe } from './report.ts'
import { startTarget } from './target.ts'

const preload = 'server/fuzz/_sabotage.ts'
const sabotaged = (...faults: string[]) => ({ preload, env: { SABOTAGE: faults.join(',') } })

// `.ci/run` sends many more.
t.test('a correct server has no findings in a few hundred requests', async t => {
  const report = await fuzz({ seed: 'npm test', count: 300, round: 150 })
  t.same(report.findings, [], describe(report, 'npm run fuzz --'))
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

t.test('every kind of fault is found, and reproduced by its case alone', async t => {
  const target = sabotaged(
    ...[
      'server error',
      'undocumented status',
      'malformed response',
      'malformed problem',
      'no response',
      'stall',
      'memory',
    ],
    ...['sensitive value in a problem', 'sensitive value in the log'],
  )
  const report = await fuzz({ seed: 'sabotage', count: 240, round: 80, target })
  const text = describe(report, 'npm run fuzz --')
  const at = (fault: string, operation: string) =>
    report.findings.find(one => one.fault === fault && one.one?.operation === operation)
  const expected = [
    ['server error', 'tokens.update'],
    ['undocumented status', 'applications.getByKey'],
    ['malformed response', 'tokens.search'],
    ['malformed problem', 'reactors.delete'],
    ['no response', 'detokenize'],
    ['stall', 'tokens.list'],
    ['sensitive value shown', 'tokens.create'],
  ] as const
  for (const [fault, operation] of expected) {
    const found = at(fault, operation)
    t.equal(found?.alone, true, `${fault} of ${operation}`, { text: text.slice(0, 10_000) })
    t.ok(
      text.includes(`again: npm run fuzz -- --seed sabotage --only ${found?.one?.number}\n`),
      'with the command to repeat it',
    )
  }
  const whole = report.findings.filter(({ one }) => !one)
  t.ok(
    whole.some(({ fault, what }) => fault === 'sensitive value shown' && /^in the server's log/.test(what)),
  )
  t.ok(whole.some(({ fault }) => fault === 'memory'))

  const first = at('malformed problem', 'reactors.delete')?.one?.number ?? 0
  const again = await fuzz({ seed: 'sabotage', first, count: 1, target: sabotaged('malformed problem') })
  t.match(again.findings, [{ fault: 'malformed problem', one: { number: first } }])
})

t.test('the end of a server is found, with the case that caused it', async t => {
  const { findings } = await fuzz({ seed: 'end', count: 30, target: sabotaged('server ended') })
  t.ok(findings.some(({ fault, what }) => fault === 'server ended' && /exit code 3/.test(what)))
  t.ok(findings.some(({ one, alone }) => one?.operation === 'applications.update' && alone))
})

t.test('a server that cannot start is reported', async t => {
  await t.rejects(
    startTarget({ storage: 'memory:', dev: false, env: { SURROGATE_PORT: '1', SURROGATE_HOST: ' ' } }),
    /before it listened: .*--host/s,
  )
})
