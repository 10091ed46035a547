import t from 'tap'
import { makeFormula, makeReactor, openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'

const failing = `
const amountOf = ({ amount }) => amount.value
module.exports = async ({ args }) => {
  console.log('charging', args)
  return { raw: amountOf(args) }
}`
const words = {
  message: "Cannot read properties of undefined (reading 'value')",
  stack: ['at amountOf (formula.js:2:41)', 'at module.exports (formula.js:5:17)'],
  console: [{ level: 'log', text: 'charging { card: "4242" }' }],
}
const args = { card: '4242' }

t.test('a failure of a formula has its message, the lines in its code and what it printed', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const react = await reactorOn(tenant, failing)
  const { status, json } = await react({ args })
  t.equal(status, 500)
  t.match(json.explanation, { operation: 'reactors.react', application_type: 'private' })
  t.same(json.explanation.formula, words)
  const recorded = await vault.dev.forTenant(tenant).requests.next({ operation: 'reactors.react' })
  t.match(recorded.explanation, { operation: 'reactors.react' }, 'the record has the explanation')
  t.notMatch(
    JSON.stringify(recorded),
    /4242|charging|amountOf|Cannot read/,
    'but nothing that the formula said',
  )
})

t.test('a refusal has them too, and code that does not compile', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const refusing = `const { AuthorizationError } = require('@surrogate/formula-errors')
    module.exports = () => {
      throw new AuthorizationError('not today')
    }`
  const refused = await (await reactorOn(tenant, refusing))({})
  t.equal(refused.status, 403)
  t.same(refused.json.explanation.formula, {
    message: 'not today',
    stack: ['at module.exports (formula.js:3:13)'],
    console: [],
  })
  const { status, json } = await (await reactorOn(tenant, 'module.exports = () => {\n  return {'))({})
  t.equal(status, 422)
  t.match(json.explanation.formula.message, /does not compile/)
})

t.test('long texts are cut, and many lines', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const react = await reactorOn(
    tenant,
    `const deep = n => { if (n === 0) throw new Error('m'.repeat(5000)); deep(n - 1); return n }
    module.exports = () => {
      for (let i = 0; i < 150; i++) console.warn('w'.repeat(i < 5 ? 4000 : 10))
      deep(30)
    }`,
  )
  const { formula } = (await react({})).json.explanation
  t.equal(formula.message.length, 1000)
  t.equal(formula.stack.length, 10)
  t.equal(formula.console.map(({ text }: { text: string }) => text).join('').length, 16_000)
  const lines = await reactorOn(
    tenant,
    `module.exports = () => { for (let i = 0; i < 150; i++) console.log(i); throw new Error('over') }`,
  )
  t.equal((await lines({})).json.explanation.formula.console.length, 100)
})

t.test('the webhook of a formula that failed has its words', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const { inbox } = vault.dev.forTenant(tenant)
  const react = await reactorOn(tenant, failing)
  t.equal((await react({ args, callback_url: inbox.url })).status, 202)
  const { body } = await inbox.next({ reactor: react.id })
  t.match(body, { status: 500, explanation: { reasons: [], formula: words } })
})

t.test('without dev there is nothing of it, by the same formulas', async t => {
  const vault = openReactors(t, { dev: false })
  const tenant = await openTenant(vault)
  for (const code of [failing, 'module.exports = () => {\n  return {']) {
    const { id } = await makeReactor(tenant, (await makeFormula(tenant, code)).id)
    const { status, json, text } = await tenant.send('POST', `/reactors/${id}/react`, { args })
    t.ok(status === 500 || status === 422)
    t.ok(json.detail)
    t.notMatch(text, /explanation|formula\.js|charging|reading/)
  }
})
