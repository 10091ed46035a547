import t from 'tap'
import { expressionLimits } from '../base/limits.ts'
import { refusal, testExpressions } from './_fixture.ts'
import { Meter } from './meter.ts'

t.test('steps are counted, fractions too, up to the limit', async t => {
  const meter = new Meter(
    { ...expressionLimits, steps: 10 },
    () => 0,
    () => 0,
  )
  meter.step(8)
  meter.characters(256)
  meter.elements(16)
  const error = refusal(() => meter.step())
  t.equal(error.fault, 'limit')
  t.equal(error.problem, 'takes more than 10 steps')
})

t.test('limits grow with the data, which is sized only when needed', async t => {
  let sized = 0
  const size = () => {
    sized++
    return 3200
  }
  const meter = new Meter({ ...expressionLimits, steps: 10, textLength: 100 }, size, () => 0)
  meter.step(10)
  meter.text(100)
  t.equal(sized, 0)
  meter.step(100)
  meter.text(3300)
  t.equal(sized, 1)
  t.equal(refusal(() => meter.step()).fault, 'limit')
  t.equal(refusal(() => meter.text(3301)).fault, 'limit')
})

t.test('results share one allowance of text', async t => {
  const meter = new Meter(
    { ...expressionLimits, textLength: 100 },
    () => 0,
    () => 0,
  )
  meter.result(60)
  meter.result(40)
  t.equal(refusal(() => meter.result(1)).problem, 'produces more than 100 characters of text')
})

t.test('the clock limits slow expressions, and cheap expressions never read it', async t => {
  let now = 0
  let looks = 0
  const monotonicMs = () => {
    looks++
    now += 10
    return now
  }
  const expressions = testExpressions({ monotonicMs })
  expressions.render('{% for i in (1..400) %}{{ i }}{% endfor %}', { data: 1 })
  t.equal(looks, 0)
  const slow = '{% for i in (1..5000) %}{{ i }}{% endfor %}'
  t.match(
    refusal(() => expressions.render(slow, { data: 1 })),
    { fault: 'limit', problem: /longer than 50 ms/ },
  )
  t.ok(looks > 4)
  t.equal(
    testExpressions().render(slow, { data: 1 }).length,
    18_893,
    'control: with a clock that stands still',
  )
})

t.test('time in which the process does not run is not charged', async t => {
  const slow = '{% for i in (1..5000) %}{{ i }}{% endfor %}'
  let looks = 0
  // Jumps by a second once, in the middle.
  const paused = () => (++looks < 5 ? 0 : 1_000)
  t.equal(testExpressions({ monotonicMs: paused }).render(slow, { data: 1 }).length, 18_893)
  t.ok(looks > 5)
})

t.test('simple expressions work on the largest data that can be stored', async t => {
  const expressions = testExpressions()
  const megabyte = 'x"'.repeat(2 ** 19)
  const rows = Array.from({ length: 60_000 }, (_, index) => ({ row: index }))
  for (const data of [megabyte, { text: megabyte }, rows, { five: [megabyte, megabyte, megabyte] }]) {
    const whole = typeof data === 'string' ? data : JSON.stringify(data)
    t.ok(expressions.render('{{ data | stringify }}', { data }) === whole)
    t.ok(expressions.render('{{ data }}', { data }) === whole)
    t.equal(expressions.evaluate('{{ data }}', { data }), data)
    t.equal(expressions.evaluateTree('{{ data }}', { data }), data)
  }
  t.equal(expressions.render('{{ data | last4 }}', { data: megabyte }), 'x"x"')
  t.equal(expressions.render("{{ data | remove: '\"' | size }}", { data: megabyte }), String(2 ** 19))
})

t.test('the length of a template is limited', async t => {
  const expressions = testExpressions()
  const fits = `{{ data }}${'x'.repeat(9_990)}`
  t.equal(expressions.render(fits, { data: '' }).length, 9_990)
  const error = refusal(() => expressions.check(`${fits}x`))
  t.equal(error.fault, 'limit')
  t.equal(error.problem, 'an expression has at most 10000 characters')
})
