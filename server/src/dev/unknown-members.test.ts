import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import type { LogFields } from '../base/log.ts'
import { createVault } from '../vault.ts'

function openLogged(t: { teardown(task: () => unknown): void }, dev = true) {
  const lines: (LogFields & { event: string })[] = []
  const write = (event: string, fields: LogFields = {}) => void lines.push({ event, ...fields })
  const log = { info: () => {}, warn: write, error: write }
  return { vault: openVault(t, { dev, log }), lines }
}

t.test('members that the contract does not name are ignored with a warning, logged once', async t => {
  const { vault, lines } = openLogged(t)
  const tenant = await openTenant(vault)
  const token = { type: 'token', data: { anything: 1 }, metadata: { any: 'thing' }, mask: { x: 'y' } }
  const warningOf = async (path: string, body: object, as = tenant.send) => {
    const { status, headers } = await as('POST', path, body as never)
    t.equal(status, path === '/tokens/search' ? 200 : 201, path)
    return headers.get('SVC-WARNING')
  }
  const says = 'ignored, as the contract does not name it: '
  t.equal(
    await warningOf('/tokens', token),
    null,
    'control: data, metadata and masks have members of any name',
  )
  t.equal(
    await warningOf('/tokens', { ...token, metadat: {}, foo: 1 }),
    `${says}metadat; did you mean metadata?, foo`,
  )
  t.equal(await warningOf('/tokens', { ...token, foo: 2 }), `${says}foo`, 'in each response')
  t.equal(await warningOf('/tokens/search', { foo: 2 }), `${says}foo`)
  const rule = { priority: 1, container: '/', transform: 'mask', permissions: ['token:read'], note: 'x' }
  t.equal(
    await warningOf('/applications', { name: 'a', type: 'private', rules: [rule] }, tenant.asManagement),
    `${says}rules.0.note`,
  )
  t.same(lines, [
    {
      event: 'unknown member ignored',
      operation: 'tokens.create',
      member: 'metadat; did you mean metadata?',
    },
    { event: 'unknown member ignored', operation: 'tokens.create', member: '?' },
    { event: 'unknown member ignored', operation: 'tokens.search', member: '?' },
    { event: 'unknown member ignored', operation: 'applications.create', member: 'rules.0.?' },
  ])
})

t.test('a name that may be data is not shown, and many are cut', async t => {
  const { vault, lines } = openLogged(t)
  const { send } = await openTenant(vault)
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`m${at}`, at]))
  const named = await send('POST', '/tokens', { type: 'token', data: 1, '4242424242424242': 1 })
  t.equal(named.headers.get('SVC-WARNING'), 'ignored, as the contract does not name it: ?')
  const warning = (await send('POST', '/tokens', { type: 'token', data: 1, ...many })).headers.get(
    'SVC-WARNING',
  )
  t.equal(warning?.split(', ').length, 11)
  t.notMatch(JSON.stringify(lines), /4242/)
})

t.test('a server in production says nothing', async t => {
  const { vault, lines } = openLogged(t, false)
  const { send } = await openTenant(vault)
  const { status, headers } = await send('POST', '/tokens', { type: 'token', data: 1, foo: 1 })
  t.equal(status, 201)
  t.equal(headers.get('SVC-WARNING'), null)
  t.same(lines, [])
})

t.test('an object that is nearly the description of a token is worth a warning', async t => {
  const { vault, lines } = openLogged(t)
  const { send } = await openTenant(vault)
  const card = { number: '4242424242424242' }
  const warningOf = async (payload: object) => {
    const { status, headers } = await send('POST', '/tokenize', payload as never)
    t.equal(status, 200)
    return headers.get('SVC-WARNING')
  }
  const says =
    'its object does not describe a token, which has type and data, so that its members become tokens: '
  t.equal(await warningOf({ a: { type: 'card', dat: card } }), `${says}a.dat; did you mean data?`)
  t.equal(await warningOf({ type: 'card', payload: card }), `${says}type`)
  t.equal(await warningOf([{ typ: 'card', data: card }]), `${says}0.typ; did you mean type?`)
  t.equal(
    await warningOf({ a: { type: 'card', data: card, metadat: {} } }),
    'ignored, as the contract does not name it: a.metadat; did you mean metadata?',
    'a description is checked as a token is',
  )
  for (const control of [
    { type: { toString: false } },
    { a: { type: 'visa', number: '1' } },
    { data: card },
    { type: 'card', data: card },
  ])
    t.equal(await warningOf(control), null, JSON.stringify(Object.keys(control)))
  t.match(lines[0], { event: 'members become tokens', member: 'a.dat; did you mean data?' })
})

t.test('what was read can be sent back, and a resource can be named by all of it', async t => {
  const vault = openVault(t)
  const { asManagement } = await openTenant(vault)
  const formula = { name: 'a', type: 'private', code: 'module.exports = () => ({})' }
  const { json: made } = await asManagement('POST', '/reactor-formulas', formula)
  const reactor = await asManagement('POST', '/reactors', { name: 'a', configuration: {}, formula: made })
  t.equal(reactor.headers.get('SVC-WARNING'), null)
  const path = `/reactors/${reactor.json.id}`
  t.equal((await asManagement('PUT', path, reactor.json)).headers.get('SVC-WARNING'), null)
  const says = 'ignored, as the contract does not name it: '
  const other = await asManagement('PUT', path, { ...reactor.json, nam: 'b' })
  t.equal(other.headers.get('SVC-WARNING'), `${says}nam; did you mean name?`)
  const created = await asManagement('POST', '/reactor-formulas', { ...formula, id: made.id })
  t.equal(created.headers.get('SVC-WARNING'), `${says}id`, "the id of what is created is not the caller's")
})

t.test('a vault in process without a log prints each warning once', async t => {
  const vault = createVault({ dev: true })
  t.teardown(() => vault.close())
  const { send } = await openTenant(vault)
  const printed = t.capture(process, 'emitWarning')
  for (const _ of [1, 2]) await send('POST', '/tokens', { type: 'token', data: 1, metadat: {} })
  t.same(
    printed().map(({ args }) => args),
    [
      [
        'tokens.create: ignored, as the contract does not name it: metadat; did you mean metadata?',
        'SurrogateWarning',
      ],
    ],
  )
})

t.test('a strict vault refuses what others warn of', async t => {
  for (const dev of [true, false]) {
    const vault = openVault(t, { dev, strict: true })
    const { send, asManagement } = await openTenant(vault)
    const token = { type: 'token', data: 1 }
    t.match(await send('POST', '/tokens', { ...token, metadat: {} }), {
      status: 400,
      json: {
        type: 'urn:surrogate:error:validation',
        errors: { metadat: ['ignored, as the contract does not name it; did you mean metadata?'] },
      },
    })
    t.match(await send('POST', '/tokenize', { a: { type: 'card', dat: 1 } }), {
      status: 400,
      json: { errors: { 'a.dat': [/does not describe a token.*; did you mean data\?$/] } },
    })
    const application = { name: 'a', type: 'private', permissions: ['token:read'], expires: null }
    t.match(await asManagement('POST', '/applications', application), {
      status: 400,
      json: { errors: { expires: [/.+/] } },
    })
    t.equal((await send('POST', '/tokens', token)).status, 201, 'control')
  }
})
