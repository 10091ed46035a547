import t from 'tap'
import { readReport } from './report.ts'

const thrown = { message: 'own words', stack: ['at f (formula.js:1:2)'] }
const read = (report: object, explains?: boolean) =>
  readReport(Buffer.from(JSON.stringify(report)), 'svc', explains)

t.test('what a formula said is passed on only if it is asked for', async t => {
  for (const report of [
    { kind: 'failed', reason: 'threw', detail: 'd' },
    { kind: 'unusable', detail: 'd' },
    { kind: 'refused', error: 'BadRequestError', errors: {} },
  ]) {
    t.same(read({ ...report, thrown }), report)
    t.same(read({ ...report, thrown }, true), { ...report, thrown })
    t.same(read(report, true), report)
  }
})

t.test('only texts are passed on, each with a bound', async t => {
  const stack = Array.from({ length: 50 }, () => 'x'.repeat(500))
  const outcome = read(
    { kind: 'unusable', detail: '', thrown: { message: 'x'.repeat(5000), stack, more: 1 } },
    true,
  )
  const shown = { message: 'x'.repeat(1000), stack: Array.from({ length: 10 }, () => 'x'.repeat(200)) }
  t.same(outcome, { kind: 'unusable', detail: '', thrown: shown })
  for (const odd of [{ message: { a: 1 }, stack: 'x' }, { stack: [null, 5] }]) {
    const { thrown } = read({ kind: 'unusable', detail: '', thrown: odd }, true) as never as {
      thrown: object
    }
    t.match(thrown, { message: '' })
    t.notMatch(JSON.stringify(thrown), /[15]|null/)
  }
  for (const odd of [1, 'x', null, []])
    t.notOk('thrown' in read({ kind: 'unusable', detail: '', thrown: odd }, true))
})
