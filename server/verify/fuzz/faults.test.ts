// In a process of its own: it takes long.
// Only in CI: each fault that is found takes another server, which gets its case alone.
import t from 'tap'
import './defects.cases.ts'
import { fuzz } from './fuzz.ts'
import { describe } from './report.ts'

/** Its requests reach each fault. */
const seed = 'sabotage-1'
const preload = 'server/verify/fuzz/_sabotage.ts'
const sabotaged = (...faults: string[]) => ({ preload, env: { SABOTAGE: faults.join(',') } })

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
  const report = await fuzz({ seed, count: 320, round: 80, target })
  const text = describe(report, 'npm run verify -- fuzz')
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
      text.includes(`again: npm run verify -- fuzz --seed ${seed} --only ${found?.one?.number}\n`),
      'with the command to repeat it',
    )
  }
  const whole = report.findings.filter(({ one }) => !one)
  t.ok(
    whole.some(({ fault, what }) => fault === 'sensitive value shown' && /^in the server's log/.test(what)),
  )
  t.ok(whole.some(({ fault }) => fault === 'memory'))

  const first = at('malformed problem', 'reactors.delete')?.one?.number ?? 0
  const again = await fuzz({ seed, first, count: 1, target: sabotaged('malformed problem') })
  t.match(again.findings, [{ fault: 'malformed problem', one: { number: first } }])
})
