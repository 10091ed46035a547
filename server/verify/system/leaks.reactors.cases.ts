import type t from 'tap'
import { ask, keys, word } from './leaks.cases.ts'

type Tap = Pick<typeof t, 'equal' | 'ok'>

/** Uses all operations of formulas and reactors, with a canary for every value. Run by `leaks.test.ts`. */
export async function exerciseReactors(t: Tap): Promise<void> {
  const asManagement = { key: keys.mgt }
  const manage = (method: string, path: string, body?: unknown, headers = {}) =>
    ask(method, path, body, { ...asManagement, headers })
  const setting = word('the name of a setting', 'name')
  const parameter = word('the name of a parameter', 'name')
  const formula = () => ({
    name: word("a formula's name"),
    description: word("a formula's description"),
    type: 'private',
    code: `module.exports = req => { console.log(req.args); throw new Error('${word('in code')}') }`,
    configuration: [{ name: setting, description: word("a setting's description"), type: 'number' }],
    request_parameters: [{ name: parameter, type: 'string', optional: true }],
  })
  const key = { 'SVC-IDEMPOTENCY-KEY': word("a formula's idempotency key") }
  const made = await manage('POST', '/reactor-formulas', formula(), key)
  t.equal(made.status, 201, made.text)
  const path = `/reactor-formulas/${made.json.id}`
  t.equal((await manage('PUT', path, formula())).status, 200)
  t.equal((await manage('PUT', path, { ...formula(), type: word('a type of formula') })).status, 400)
  t.equal((await manage('PUT', path, { ...formula(), code: word('long code').repeat(5_000) })).status, 400)
  t.equal((await manage('POST', '/reactor-formulas', { ...formula(), icon: word('no icon') })).status, 400)
  t.equal((await manage('GET', `/reactor-formulas?name=${word('a filter')}`)).status, 200)

  const reactor = (configuration: object = { [setting]: 12 }) => ({
    name: word("a reactor's name"),
    configuration,
    formula: { id: made.json.id },
  })
  const wrong = [
    { [setting]: word('no number') },
    { [setting]: 1, [word('an undeclared setting', 'name')]: word('its value') },
  ]
  for (const configuration of wrong)
    t.equal((await manage('POST', '/reactors', reactor(configuration))).status, 400)
  const on = await manage('POST', '/reactors', reactor(), key)
  t.equal(on.status, 422, 'the key of another request')
  const { json } = await manage('POST', '/reactors', reactor())
  const at = `/reactors/${json.id}`
  t.equal((await manage('PATCH', at, { name: word('a patched name') })).status, 204)
  t.equal((await manage('DELETE', path)).status, 409)

  const token = await ask('POST', '/tokens', { type: 'token', data: word('data of an argument') })
  const react = (args: unknown) =>
    ask(
      'POST',
      `${at}/react`,
      { args },
      { headers: { 'SVC-IDEMPOTENCY-KEY': word('the idempotency key of an invocation') } },
    )
  const { status } = await react({ [parameter]: `${word('an argument')} {{ ${token.json.id} }}` })
  // 500: the code throws. 501: this server cannot run formulas.
  t.ok([500, 501].includes(status), `${status}`)
  t.equal((await react({ [parameter]: { [word('a member', 'name')]: word('its value') } })).status, 400)
  t.equal((await react({ [parameter]: `{{ ${word('a bad filter')}` })).status, 400)
  t.equal((await react(word('no object'))).status, 400)
  t.equal((await manage('DELETE', at)).status, 204)
  t.equal((await manage('DELETE', path)).status, 204)
}
