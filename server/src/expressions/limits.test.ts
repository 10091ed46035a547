import t from 'tap'
import { expressionLimits } from '../base/limits.ts'
import { refusal, testExpressions } from './_fixture.ts'
import { Meter } from './meter.ts'

t.test('steps are counted, fractions too, up to the limit', async t => {
  const meter = new Meter({ ...expressionLimits, steps: 10 }, () => [])
  meter.step(8)
  meter.characters(256)
  meter.elements(16)
  const error = refusal(() => meter.step())
  t.equal(error.fault, 'limit')
  t.equal(error.problem, 'takes 11 steps or more; 10 are allowed on this data')
})

t.test('limits grow with the data, which is sized only when needed', async t => {
  let sized = 0
  const size = () => {
    sized++
    return [['data', 3200]] as const
  }
  const meter = new Meter({ ...expressionLimits, steps: 10, textLength: 100 }, size)
  meter.step(10)
  meter.text(100)
  t.equal(sized, 0)
  meter.step(3200 / 20)
  meter.text(3300)
  t.equal(sized, 1)
  t.equal(refusal(() => meter.step()).fault, 'limit')
  t.equal(refusal(() => meter.text(3301)).fault, 'limit')
})

t.test('results share one allowance of text', async t => {
  const meter = new Meter({ ...expressionLimits, textLength: 100 }, () => [])
  meter.result(60)
  meter.result(40)
  t.equal(refusal(() => meter.result(1)).problem, 'produces more than 100 characters of text')
})

t.test('an expression that needs more says how many steps it took of how many', async t => {
  const expressions = testExpressions()
  const loop = (turns: number) => `{% for i in (1..${turns}) %}{% endfor %}`
  t.equal(expressions.render(loop(1_700), { data: 1 }), '', 'control')
  const error = refusal(() => expressions.render(loop(1_800), { data: 1 }))
  t.match(error.problem, /^takes 200\d steps or more; 2000 are allowed on this data$/)
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
