import t from 'tap'
import { makeFormula, makeReactor, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, type Reply } from '../../verify/support/vault.ts'
import { withoutIds } from '../../verify/support/without-ids.ts'
import { number, openDev } from './_dev.ts'

const now = () => Date.UTC(2030, 0, 1)
const card = { id: 'a-card', type: 'card', data: { number }, containers: ['/pci/', '/shop/'] }
const rule = { priority: 1, transform: 'mask', permissions: ['token:read'] }

t.test('a 403 explains who asked, the rights in their order, and why each does not match', async t => {
  const { tenant } = await openDev(t)
  await tenant.send('POST', '/tokens', card)
  const conditions = [{ attribute: 'id', operator: 'equals', value: 'another' }]
  const limited = await tenant.application({
    rules: [
      { ...rule, priority: 7, container: '/', permissions: ['token:search'] },
      { ...rule, priority: 2, container: '/pci/' },
      { ...rule, priority: 5, conditions },
    ],
  })
  const { status, json } = await limited('GET', '/tokens/a-card')
  t.equal(status, 403)
  const missing = { of: 'application', matches: false }
  t.same(json.explanation, {
    operation: 'tokens.get',
    application: limited.id,
    application_type: 'private',
    permission: 'token:read',
    rules: [
      { ...missing, priority: 2, reason: 'covers /pci/, and not /shop/' },
      {
        ...missing,
        priority: 5,
        reason: 'covers tokens where id equals another, and not the id of the token',
      },
      { ...missing, priority: 7, reason: 'does not list token:read' },
      { ...missing, priority: null, reason: 'token:read is not held directly' },
    ],
    reasons: ['no access rule gives token:read on /shop/'],
  })
  const nowhere = await limited('DELETE', '/tokens/a-card')
  t.equal(nowhere.json.explanation.permission, 'token:delete')
  t.match(nowhere.json.explanation.rules, Array(4).fill({ matches: false }))
})

t.test('a condition on the id and one on the container are told apart', async t => {
  const { tenant } = await openDev(t)
  await tenant.send('POST', '/tokens', { ...card, containers: ['/pci/high/'] })
  const isIn = { attribute: 'container', operator: 'starts_with', value: '/pci/' }
  const isElsewhere = { ...isIn, value: '/shop/' }
  const isOther = { attribute: 'id', operator: 'equals', value: 'another' }
  for (const [conditions, lacking] of [
    [[isOther, isIn], 'the id of the token'],
    [[{ ...isOther, value: card.id }, isElsewhere], '/pci/high/'],
    [[isOther, isElsewhere], 'the id of the token, /pci/high/'],
  ] as const) {
    const limited = await tenant.application({ rules: [{ ...rule, conditions }] } as never)
    const { json } = await limited('GET', '/tokens/a-card')
    t.match(json.explanation.rules[0].reason, new RegExp(`, and not ${lacking}$`))
  }
})

t.test('a session is explained by its grant and by the rights of its authorizer', async t => {
  const { tenant } = await openDev(t)
  await tenant.send('POST', '/tokens', card)
  const authorizer = await tenant.application({ rules: [{ ...rule, container: '/pci/' }] })
  const { json: session } = await tenant.asPublic('POST', '/sessions')
  const grant = { nonce: session.nonce, permissions: ['token:read'] }
  t.equal((await authorizer('POST', '/sessions/authorize', grant)).status, 200)
  const { status, json } = await tenant.as(session.session_key)('GET', '/tokens/a-card')
  t.equal(status, 403)
  t.match(json.explanation, { session: true, application_type: 'public' })
  t.match(json.explanation.rules, [
    { of: 'session', priority: null, matches: true },
    { of: 'authorizer', priority: 1, matches: false, reason: 'covers /pci/, and not /shop/' },
    { of: 'authorizer', priority: null, matches: false },
  ])
})

t.test('what is missing for /proxy is named by its flags', async t => {
  const headers = { 'SVC-PROXY-URL': 'https://other.example.com/a' }
  const { tenant: none } = await openDev(t)
  const refused = await none.send('GET', '/proxy/a', undefined, headers)
  t.equal(refused.status, 400)
  t.match(refused.json.detail, /--proxy-allow-origin .*--proxy-map-origin .*dev\.egress\.respond/)
  t.match(refused.json.explanation.reasons, [/proxyAllowOrigins/])
  t.notMatch((await none.send('GET', '/proxi')).json.detail, /--proxy/, 'control')
  const { tenant: quiet } = await openDev(t, { dev: false })
  t.equal((await quiet.send('GET', '/proxy/a')).json.detail, 'there is no such path; /docs lists the paths')
  const { tenant } = await openDev(t, { proxyAllowOrigins: ['https://api.example.com'] })
  const other = await tenant.send('GET', '/proxy', undefined, headers)
  t.match(other.json.detail, /: allow it by --proxy-allow-origin/)
})

t.test('what is missing for a callback is named by its flag, and by the inbox', async t => {
  for (const dev of [true, false]) {
    const { tenant } = await openDev(t, { dev })
    const react = await reactorOn(tenant, 'module.exports = () => ({})')
    for (const [callback_url, text] of [
      ['http://hooks.example.org/', 'must be https'],
      ['https://127.0.0.1/', 'must not lead to a private address'],
    ] as const) {
      const { status, json } = await react({ callback_url })
      t.match([status, json.errors], [400, { callback_url: [text] }])
      const isNamed = /--allow-private-callbacks .*dev\.inbox\.url/.test(json.detail)
      t.equal(isNamed, dev, json.detail)
    }
    t.notMatch(
      (await react({ callback_url: 'mailto:a' })).json.detail,
      /--allow/,
      'control: nothing allows it',
    )
  }
})

t.test('every 400, 403 and 404 has an explanation, and nothing else has', async t => {
  const { tenant } = await openDev(t, { now })
  const token = { id: 'twice', type: 'token', data: 1 }
  await tenant.send('POST', '/tokens', token)
  for (const [status, reply] of [
    [400, await tenant.send('POST', '/tokens', { type: 'card', data: { number: '1' } })],
    [400, await tenant.send('POST', '/tokens', { raw: '{' })],
    [404, await tenant.send('GET', '/tokens/unknown')],
    [404, await tenant.send('GET', '/nothing')],
    [403, await tenant.send('GET', '/applications')],
    [400, await tenant.asManagement('POST', '/_dev/tenant/clock', { advance: 1 })],
    [401, await tenant.as('unknown')('GET', '/tokens')],
    [405, await tenant.send('PUT', '/tokens/x', {})],
    [409, await tenant.send('POST', '/tokens', token)],
    [200, await tenant.send('GET', '/tokens')],
  ] as const) {
    t.equal(reply.status, status)
    t.equal('explanation' in reply.json, [400, 403, 404].includes(status), `${status} ${reply.json.detail}`)
  }
})

t.test('a token that has expired says so, wherever it is asked for, swept or not', async t => {
  let real = now()
  const { vault, tenant } = await openDev(t, {
    now: () => real,
    proxyAllowOrigins: ['https://api.example.com'],
  })
  const make = (id: string, minutes: number) =>
    tenant.send('POST', '/tokens', { ...card, id, expires_at: `2030-01-01T00:0${minutes}:00Z` })
  await make('first', 1)
  await make('second', 2)
  const headers = { 'SVC-PROXY-URL': 'https://api.example.com/a' }
  const asked = [
    () => tenant.send('GET', '/tokens/first'),
    () => tenant.send('PATCH', '/tokens/first', {}),
    () => tenant.send('POST', '/detokenize', { a: '{{ first }} {{ second }}' }),
    () => tenant.send('POST', '/proxy', { a: '{{ first }}' }, headers),
  ]
  const says = /: the token expired at 2030-01-01T00:01:00/
  real += 60_000
  for (const ask of asked) t.match((await ask()).json.detail, says, 'not swept yet')
  await vault.clock.advance(30_000)
  for (const ask of asked) t.match((await ask()).json.detail, says, 'swept')
  await vault.clock.advance(3_600_000)
  for (const ask of asked) t.match((await ask()).json.detail, /: the token (first )?expired at /, 'erased')
  const both = await tenant.send('POST', '/detokenize', { a: '{{ first }} {{ second }} {{ third }}' })
  t.match(both.json.detail, /the token first expired at .*, the token second expired at /)
})

t.test('it says so as long as nothing else became of its id, to its own tenant', async t => {
  const { vault, tenant, dev } = await openDev(t, { storage: 'memory:', now })
  const other = await openTenant(vault)
  const reasons = async (of = tenant): Promise<string[]> =>
    (await of.send('GET', '/tokens/a-card')).json.explanation.reasons
  await tenant.send('POST', '/tokens', { ...card, expires_at: '2030-01-01T03:00:00Z' })
  const before = await dev.snapshot()
  await dev.tenantClock.advance('3h')
  t.same(await reasons(), ['the token expired at 2030-01-01T03:00:00.000Z'])
  t.same(await reasons(other), [], 'of its tenant only')
  await dev.restore(before)
  await tenant.send('DELETE', '/tokens/a-card')
  t.same(await reasons(), [], 'it was deleted')
})

t.test('a search that finds nothing says which condition excludes how many', async t => {
  const { tenant } = await openDev(t)
  for (const [id, color, container] of [
    ['a-1', 'red', '/a/'],
    ['a-2', 'red', '/a/'],
    ['a-3', 'blue', '/a/'],
    ['b-1', 'red', '/b/'],
  ] as const) {
    const token = { id, type: 'token', data: 1, metadata: { color }, containers: [container] }
    await tenant.send('POST', '/tokens', token)
  }
  const limited = await tenant.application({
    rules: [{ ...rule, container: '/a/', permissions: ['token:search'] }],
  })
  const search = async (query: string) => (await limited('POST', '/tokens/search', { query })).json
  t.same((await search('metadata.color:green AND type:token AND NOT id:a-1')).explanation, {
    tokens: 4,
    searchable: 3,
    conditions: [
      { condition: 'metadata', excludes: 3 },
      { condition: 'type', excludes: 0 },
      { condition: 'NOT id', excludes: 1 },
    ],
  })
  const either = [{ condition: '(id OR data)', excludes: 3 }]
  t.same((await search('id:b-1 OR data:secret')).explanation.conditions, either)
  const found = await search('metadata.color:red')
  t.equal(found.pagination.total_items, 2)
  t.notOk('explanation' in found)
})

t.test('no condition excludes fewer than no tokens while others are written', async t => {
  const { tenant } = await openDev(t)
  const query = `${Array.from({ length: 19 }, () => 'type:token').join(' AND ')} AND id:unknown`
  const repeat = async (send: (n: number) => Promise<Reply>) => {
    const statuses = new Set<number>()
    for (let n = 0; n < 50; n++) statuses.add((await send(n)).status)
    return [...statuses]
  }
  const statuses = await Promise.all([
    repeat(() => tenant.send('POST', '/tokens/search', { query })),
    repeat(n => tenant.send('POST', '/tokens', { id: `t-${n}`, type: 'token', data: 1 })),
  ])
  t.same(statuses, [[200], [201]])
})

t.test('without dev nothing is explained by the same requests, and with it no value is', async t => {
  for (const dev of [true, false]) {
    const { tenant } = await openDev(t, { dev })
    await tenant.send('POST', '/tokens', { ...card, metadata: { customer: 'a-canary' } })
    const limited = await tenant.application({ permissions: ['token:search'] })
    const query = `data:${number} AND metadata.customer:a-canary AND id:x`
    for (const [status, { status: got, json }] of [
      [403, await limited('GET', '/tokens/a-card')],
      [404, await tenant.send('GET', '/tokens/unknown')],
      [400, await tenant.send('POST', '/tokens', { type: 'card', data: { number, cvc: 'a-canary' } })],
      [200, await limited('POST', '/tokens/search', { query })],
    ] as const) {
      t.equal(got, status)
      t.equal('explanation' in json, dev)
      t.notMatch(withoutIds(JSON.stringify(json.explanation ?? {})), /4242|canary/)
    }
  }
})

const failing = `
const amountOf = ({ amount }) => amount.value
module.exports = async ({ args }) => {
  console.log('charging', args)
  return { raw: amountOf(args) }
}`
const words = {
  message: "Cannot read properties of undefined (reading 'value')",
  stack: ['at amountOf (formula.js:2:41)', 'at module.exports (formula.js:5:17)'],
  console: [{ level: 'log', text: "charging { card: '4242' }" }],
}
const args = { card: '4242' }
const broken = 'module.exports = () => {\n  return {'

t.test('a failure of a formula has its message, the lines in its code and what it printed', async t => {
  const { tenant, dev } = await openDev(t)
  const react = await reactorOn(tenant, failing)
  const { status, json } = await react({ args })
  t.equal(status, 500)
  t.match(json.explanation, { operation: 'reactors.react', application_type: 'private' })
  t.same(json.explanation.formula, words)
  const recorded = await dev.requests.next({ operation: 'reactors.react' })
  t.match(recorded.explanation, { operation: 'reactors.react' }, 'the record has the explanation')
  const text = JSON.stringify(recorded)
  t.notMatch(text, /4242|charging|amountOf|Cannot read/, 'but nothing that the formula said')
  t.equal((await react({ args, callback_url: dev.inbox.url })).status, 202)
  const { body } = await dev.inbox.next({ reactor: react.id })
  t.match(body, { status: 500, explanation: { reasons: [], formula: words } }, 'its webhook, too')

  const refusing = `const { AuthorizationError } = require('@surrogate/formula-errors')
    module.exports = () => {
      throw new AuthorizationError('not today')
    }`
  const refused = await (await reactorOn(tenant, refusing))()
  t.equal(refused.status, 403)
  const stack = ['at module.exports (formula.js:3:13)']
  t.same(refused.json.explanation.formula, { message: 'not today', stack, console: [] })
  const uncompiled = await (await reactorOn(tenant, broken))()
  t.equal(uncompiled.status, 422)
  t.match(uncompiled.json.explanation.formula.message, /does not compile/)
  t.equal(uncompiled.json.detail, uncompiled.json.explanation.formula.message, 'said once')
})

t.test('long texts of a formula are cut, and many lines', async t => {
  const { tenant } = await openDev(t)
  const react = await reactorOn(
    tenant,
    `const deep = n => { if (n === 0) throw new Error('m'.repeat(5000)); deep(n - 1); return n }
    module.exports = ({ args }) => {
      for (let i = 0; i < 150; i++) console.warn('w'.repeat(i < 5 ? args.width : 10))
      deep(30)
    }`,
  )
  const wordsOf = async (width: number) => (await react({ args: { width } })).json.explanation.formula
  const long = await wordsOf(4000)
  t.equal(long.message.length, 1000)
  t.equal(long.stack.length, 10)
  t.equal(long.console.map(({ text }: { text: string }) => text).join('').length, 16_000)
  t.equal((await wordsOf(10)).console.length, 100)
})

t.test('without dev there is nothing of what a formula says', async t => {
  const { tenant } = await openDev(t, { dev: false })
  for (const [code, status] of [
    [failing, 500],
    [broken, 422],
  ] as const) {
    const { id } = await makeReactor(tenant, (await makeFormula(tenant, code)).id)
    const reply = await tenant.send('POST', `/reactors/${id}/react`, { args })
    t.equal(reply.status, status)
    t.ok(reply.json.detail)
    t.notMatch(reply.text, /explanation|formula\.js|charging|reading/)
  }
})
