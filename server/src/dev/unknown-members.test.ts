import t, { type Test } from 'tap'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import type { LogFields } from '../base/log.ts'
import { createVault } from '../vault.ts'
import { number, openDev } from './_dev.ts'

async function openLogged(t: Test, dev = true) {
  const lines: (LogFields & { event: string })[] = []
  const write = (event: string, fields: LogFields = {}) => void lines.push({ event, ...fields })
  const { tenant } = await openDev(t, { dev, log: { info: () => {}, warn: write, error: write } })
  const warningOf = async (path: string, body: object, as = tenant.send) => {
    const { status, headers, text } = await as('POST', path, body as never)
    t.ok(status < 300, text)
    return headers.get('SVC-WARNING')
  }
  return { tenant, lines, warningOf }
}

const token = { type: 'token', data: 1 }
const card = { number }
const ignored = 'ignored, as the contract does not name it: '
const undescribed =
  'its object does not describe a token, which has type and data, so that its members become tokens: '

t.test('members that the contract does not name are ignored with a warning, logged once', async t => {
  const { tenant, lines, warningOf } = await openLogged(t)
  const rule = { priority: 1, container: '/', transform: 'mask', permissions: ['token:read'], note: 'x' }
  const application = { name: 'a', type: 'private', rules: [rule] }
  for (const [path, body, warning] of [
    // Data, metadata and masks have members of any name.
    ['/tokens', { ...token, data: { any: 1 }, metadata: { any: 'thing' }, mask: { x: 'y' } }, null],
    ['/tokens', { ...token, metadat: {}, foo: 1 }, `${ignored}metadat; did you mean metadata?, foo`],
    ['/tokens', { ...token, foo: 2 }, `${ignored}foo`],
    ['/tokens/search', { foo: 2 }, `${ignored}foo`],
    ['/applications', application, `${ignored}rules.0.note`],
  ] as const) {
    const as = path === '/applications' ? tenant.asManagement : tenant.send
    t.equal(await warningOf(path, body, as), warning)
  }
  const event = 'unknown member ignored'
  t.same(lines, [
    { event, operation: 'tokens.create', member: 'metadat; did you mean metadata?' },
    { event, operation: 'tokens.create', member: '?' },
    { event, operation: 'tokens.search', member: '?' },
    { event, operation: 'applications.create', member: 'rules.0.?' },
  ])
})

t.test('a name that may be data is not shown, and many are cut', async t => {
  const { lines, warningOf } = await openLogged(t)
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`m${at}`, at]))
  t.equal(await warningOf('/tokens', { ...token, [number]: 1 }), `${ignored}?`)
  t.equal((await warningOf('/tokens', { ...token, ...many }))?.split(', ').length, 11)
  t.notMatch(JSON.stringify(lines), /4242/)
})

t.test('a server in production says nothing', async t => {
  const { lines, warningOf } = await openLogged(t, false)
  t.equal(await warningOf('/tokens', { ...token, foo: 1 }), null)
  t.same(lines, [])
})

t.test('an object that is nearly the description of a token is worth a warning', async t => {
  const { lines, warningOf } = await openLogged(t)
  const described = { type: 'card', data: card }
  for (const [payload, warning] of [
    [{ a: { type: 'card', dat: card } }, `${undescribed}a.dat; did you mean data?`],
    [{ type: 'card', payload: card }, `${undescribed}type`],
    [[{ typ: 'card', data: card }], `${undescribed}0.typ; did you mean type?`],
    // A description is checked as a token is.
    [{ a: { ...described, metadat: {} } }, `${ignored}a.metadat; did you mean metadata?`],
    [{ type: { toString: false } }, null],
    [{ a: { type: 'visa', number: '1' } }, null],
    [{ data: card }, null],
    [described, null],
  ] as const)
    t.equal(await warningOf('/tokenize', payload), warning, JSON.stringify(payload))
  t.match(lines[0], { event: 'members become tokens', member: 'a.dat; did you mean data?' })
})

t.test('what was read can be sent back, and a resource can be named by all of it', async t => {
  const { asManagement } = (await openDev(t)).tenant
  const warningOf = async (method: string, path: string, body: object) => {
    const { json, headers } = await asManagement(method, path, body as never)
    return { json, warning: headers.get('SVC-WARNING') }
  }
  const code = { name: 'a', type: 'private', code: 'module.exports = () => ({})' }
  const { json: formula } = await warningOf('POST', '/reactor-formulas', code)
  const reactor = await warningOf('POST', '/reactors', { name: 'a', configuration: {}, formula })
  const path = `/reactors/${reactor.json.id}`
  t.equal(reactor.warning, null)
  t.equal((await warningOf('PUT', path, reactor.json)).warning, null)
  const other = await warningOf('PUT', path, { ...reactor.json, nam: 'b' })
  t.equal(other.warning, `${ignored}nam; did you mean name?`)
  const created = await warningOf('POST', '/reactor-formulas', { ...code, id: formula.id })
  t.equal(created.warning, `${ignored}id`, "the id of what is created is not the caller's")
})

t.test('a vault in process without a log prints each warning once', async t => {
  const vault = createVault({ dev: true })
  t.teardown(() => vault.close())
  const { send } = await openTenant(vault)
  const printed = t.capture(process, 'emitWarning')
  for (const _ of [1, 2]) await send('POST', '/tokens', { ...token, metadat: {} })
  const warning = [`tokens.create: ${ignored}metadat; did you mean metadata?`, 'SurrogateWarning']
  t.same(
    printed().map(({ args }) => args),
    [warning],
  )
})

t.test('a strict vault refuses what others warn of', async t => {
  for (const dev of [true, false]) {
    const { send, asManagement } = (await openDev(t, { dev, strict: true })).tenant
    const application = { name: 'a', type: 'private', permissions: ['token:read'], expires: null }
    const metadat = ['ignored, as the contract does not name it; did you mean metadata?']
    for (const [reply, errors] of [
      [await send('POST', '/tokens', { ...token, metadat: {} }), { metadat }],
      [
        await send('POST', '/tokenize', { a: { type: 'card', dat: 1 } }),
        { 'a.dat': [/does not describe a token.*; did you mean data\?$/] },
      ],
      [await asManagement('POST', '/applications', application), { expires: [/.+/] }],
    ] as const)
      t.match(reply, { status: 400, json: { type: 'urn:surrogate:error:validation', errors } })
    t.equal((await send('POST', '/tokens', token)).status, 201, 'control')
  }
})

const charge = {
  formula: {
    request_parameters: [
      { name: 'card.number', type: 'string' },
      { name: 'amount', type: 'number', optional: true },
    ],
  },
}

const removed = 'removed, as the formula does not declare it: '

t.test('arguments that a formula does not declare are removed with a warning, or refused', async t => {
  const id = '{{ the-card }}'
  const misspelt = { card: { number, numbr: '1' }, amuont: 5, [number]: 1 }
  for (const strict of [false, true]) {
    const { tenant } = await openDev(t, { strict })
    const react = await reactorOn(tenant, 'module.exports = req => ({ raw: req.args })', charge)
    await tenant.send('POST', '/tokens', { id: 'the-card', type: 'card', data: card })
    const reply = await react({ args: misspelt })
    if (strict) {
      const declared = 'removed, as the formula does not declare it'
      t.match(reply, {
        status: 400,
        json: {
          errors: {
            'args.card.numbr': [`${declared}; did you mean number?`],
            'args.amuont': [`${declared}; did you mean amount?`],
            'args.?': [declared],
          },
        },
      })
    } else {
      t.same(reply.json.raw, { card: { number } })
      t.equal(
        reply.headers.get('SVC-WARNING'),
        `${removed}args.card.numbr; did you mean number?, args.amuont; did you mean amount?, args.?`,
      )
    }
    for (const args of [{ card: { number }, amount: 5 }, { card: id }, { 'card.number': number }]) {
      const whole = await react({ args })
      t.same([whole.status, whole.headers.get('SVC-WARNING')], [200, null], 'control: data of a token is not')
    }
  }
})
