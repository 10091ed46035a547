import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { loader, locateProgram } from '../../../verify/support/process.ts'
import { type FilterCase, testExpressions } from '../_fixture.ts'
import { strftime } from './date.ts'

const expressions = testExpressions()

const cases: readonly FilterCase[] = [
  ["{{ data | date: '%b %d, %y' }}", 'March 14, 2016', 'Mar 14, 16'],
  ["{{ data | date: '%F %T %z' }}", '2024-03-01', '2024-03-01 00:00:00 +0000'],
  ["{{ data | date: '%F %T %z' }}", '2024-03-01 10:05', '2024-03-01 10:05:00 +0000'],
  ["{{ data | date: '%F %T.%L %z' }}", '2024-03-01T10:05:09.123456Z', '2024-03-01 10:05:09.123 +0000'],
  [
    "{{ data | date: '%F %T %:z %s %Z' }}",
    '2024-03-01T23:30:00-05:30',
    '2024-03-01 23:30:00 -05:30 1709355600 -05:30',
  ],
  ["{{ data | date: '%F %T' }}", 'Fri, 01 Mar 2024 10:05:09 GMT', '2024-03-01 10:05:09'],
  ["{{ data | date: '%F %T' }}", 'Fri, 01 Mar 2024 10:05:09 +0200', '2024-03-01 10:05:09'],
  ["{{ data | date: '%F' }}", '3/1/2024', '2024-03-01'],
  ["{{ data | date: '%F %T' }}", 1_700_000_000, '2023-11-14 22:13:20'],
  ["{{ data | date: '%F %T' }}", '1700000000', '2023-11-14 22:13:20'],
  ["{{ data | date: '%F %T' }}", 'now', '2026-01-31 09:30:00'],
  ["{{ 'today' | date: '%F' }}", 1, '2026-01-31'],
  [
    "{{ data | date: '%D|%R|%r|%x|%X|%c|%n|%t|%h' }}",
    '2024-03-01T13:05:09Z',
    '03/01/24|13:05|01:05:09 PM|03/01/24|13:05:09|Fri Mar  1 13:05:09 2024|\n|\t|Mar',
  ],
  [
    "{{ data | date: '%-d %_d %05d %^b %#b %#p %-I %3N %12N' }}",
    '2024-03-01T13:05:09.5Z',
    '1  1 00001 MAR MAR pm 1 500 500000000000',
  ],
  ["{{ data | date: '%Q %! %' }}", '2024-03-01', '%Q %! %'],
  ['{{ data | date }}', '2024-03-01T13:05:09Z', 'Friday, March 1, 2024 at 1:05 pm +0000'],
  // "Converts a timestamp into another date format." An empty one is not documented, so it is as in Ruby's Liquid.
  ["{{ data | date: '' }}", '2024-03-01', '2024-03-01'],
  ['{{ data | date: nil }}', '2024-03-01', '2024-03-01'],
  ["{{ data | date: '%F' }}", 'no date', 'no date'],
  ["{{ data | date: '%F' }}", '2024-13-45', '2024-13-45'],
  ["{{ data | date: '%F' }}", 'March 14, 2016'.padEnd(65), 'March 14, 2016'.padEnd(65)],
  ["{{ data | date: '%F' }}", 1e300, 1e300],
  ["{{ data | date: '%F' }}", null, null],
  ["{{ data | date: '%F' }}", true, true],
  ["{{ data | date: '%F' }}", [2024], [2024]],
]

t.test('every form of date, and every directive of formats', async t => {
  for (const [template, data, value] of cases)
    t.strictSame(expressions.evaluate(template, { data }), value, `${JSON.stringify(data)} ${template}`)
})

t.test('the time zone of the host has no effect', async t => {
  const script = `
    import { testExpressions } from '${locateProgram('server/src/expressions/_fixture.ts')}'
    const data = ['2024-03-01', '2024-03-31T02:30', 'March 14, 2016', '3/1/2024 10:00', 1700000000]
    const text = "{% for d in data %}{{ d | date: '%c %z %Z %s' }};{% endfor %}"
    process.stdout.write(testExpressions().render(text, { data }))`
  const shown = (zone: string) =>
    execFileSync(process.execPath, [...loader, '--input-type=module', '-e', script], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: { ...process.env, TZ: zone },
      encoding: 'utf8',
    })
  const utc = shown('UTC')
  t.match(utc, 'Mon Mar 14 00:00:00 2016 +0000 UTC 1457913600')
  t.equal(shown('America/New_York'), utc)
  t.equal(shown('Asia/Kolkata'), utc)
})

t.test('a format is processed only as far as it is charged', async t => {
  const { exec } = RegExp.prototype
  let looked = 0
  t.teardown(() => Object.assign(RegExp.prototype, { exec }))
  RegExp.prototype.exec = function (text) {
    if (this.source.startsWith('%')) looked++
    return exec.call(this, text)
  }
  const moment = { epochMs: 0, offsetMinutes: 0 }
  const upTo = (most: number) => {
    looked = 0
    let fields = 0
    const spend = () => {
      if (++fields > most) throw new Error('enough')
    }
    return () => strftime(moment, '%d'.repeat(100), spend)
  }
  t.equal(upTo(100)(), '01'.repeat(100))
  t.equal(looked, 101)
  t.throws(upTo(10), { message: 'enough' })
  t.equal(looked, 11)
})
