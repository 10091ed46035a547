import t from 'tap'
import { Canaries, findLeaks } from '../../verify/support/canaries.ts'
import { openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { nextTurn } from '../base/flow/event-loop.ts'
import { BoundedLog } from './bounded-log.ts'
import { redact } from './redact.ts'

t.test('requests are recorded, with what identifies them and without what they carry', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const other = await openTenant(vault)
  const { requests } = vault.dev.forTenant(tenant)
  const at = await vault.clock.now()
  const created = await tenant.send(
    'POST',
    '/tokens',
    { type: 'card', data: { number: '4242424242424242' } },
    { 'SVC-TRACE-ID': 'the trace', 'SVC-IDEMPOTENCY-KEY': 'the key' },
  )
  await tenant.asManagement('GET', '/applications')
  await tenant.send('GET', '/tokens/unknown')
  await tenant.as('wrong')('GET', '/tokens')
  await other.send('GET', '/tokens')
  const own = (await tenant.as(tenant.privateKey)('GET', '/applications/key')).json
  const list = await requests.list()
  t.same(
    list.map(({ operation, status }) => `${operation} ${status}`),
    ['tokens.create 201', 'applications.list 200', 'tokens.get 404', 'applications.getByKey 200'],
  )
  const [first, , missing] = list
  t.match(first, {
    application_id: own.id,
    trace_id: 'the trace',
    idempotency_key: 'the key',
    body: { type: 'card', data: { number: 'string(16)' } },
  })
  t.ok(Date.parse(first?.at ?? '') >= at - 1)
  t.ok((first?.duration_ms ?? 0) > 0)
  t.match(missing, { error: 'urn:surrogate:error:not_found' })
  t.equal(missing?.id, undefined, 'the id of nothing may be anything')
  t.equal(missing?.path, '/tokens/{id}')
  const unknown = '6f1c1bb0-0000-4000-8000-0123456789ab'
  await tenant.send('DELETE', `/tokens/${unknown}`)
  t.match((await requests.list({ operation: 'tokens.delete' }))[0], {
    status: 404,
    id: unknown,
    path: `/tokens/${unknown}`,
  })
  await tenant.send('GET', `/tokens/${created.json.id}`)
  t.equal((await requests.list({ operation: 'tokens.get', status: 200 }))[0]?.id, created.json.id)
  const [last] = (await requests.list()).slice(-1)
  t.same(await requests.list({ since: last?.number ?? 0 }), [])
  t.equal((await vault.dev.forTenant(other).requests.list()).length, 1, 'each tenant its own')
})

t.test('a path is recorded with the ids of what is there', async t => {
  const tenant = await openTenant(openVault(t))
  await tenant.send('POST', '/tokens', { id: 'a b', type: 'token', data: 1 })
  await tenant.send('GET', '/tokens/a%20b')
  await tenant.send('GET', '/tokens/unknown')
  const { data } = (await tenant.asManagement('GET', '/_dev/requests')).json
  t.same(
    data.map(({ method, path }: { method: string; path: string }) => `${method} ${path}`),
    ['POST /tokens', 'GET /tokens/a%20b', 'GET /tokens/{id}'],
  )
})

t.test('a name that no operation has is refused, as nothing would ever match it', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const { requests } = vault.dev.forTenant(tenant)
  const refusal = { status: 400, message: /operation is not an operation; did you mean tokens\.create\?/ }
  t.same(await requests.list({ operation: 'tokens.create' }), [], 'control')
  await t.rejects(requests.list({ operation: 'tokens.creat' }), refusal)
  await t.rejects(requests.next({ operation: 'tokens.creat', timeout: 0 }), refusal)
  await t.rejects(requests.list({ operation: 'dev.reset' }), { status: 400, message: /not an operation/ })
  for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
    t.same(await requests.list({ operation: `proxy.${method}` }), [], method)
  }
})

t.test('next returns each request once, and waits for one', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const { requests } = vault.dev.forTenant(tenant)
  await tenant.send('GET', '/tokens')
  await tenant.send('GET', '/tokens?page=0')
  t.equal((await requests.next({ status: 400 })).operation, 'tokens.list')
  t.equal((await requests.next()).status, 200)
  const waiting = requests.next({ operation: 'tokens.create' })
  const both = Promise.all([requests.next(), requests.next()])
  await tenant.send('POST', '/tokens', { type: 'token', data: 1 })
  t.equal((await waiting).status, 201, 'who waited first')
  await tenant.send('GET', '/tokens')
  await tenant.send('DELETE', '/tokens/any')
  t.same((await both).map(({ operation }) => operation).sort(), ['tokens.delete', 'tokens.list'])
  const error = await requests.next({ operation: 'logs.list', timeout: 1 }).catch(error => error)
  t.match(error.message, /no request matches .*logs\.list.*; there were tokens\.list 200, tokens\.list 400/)
})

t.test('a wait whose caller is gone takes nothing from others', async t => {
  const vault = openVault(t)
  const { url } = await vault.listen()
  const tenant = await openTenant(vault)
  const { requests } = vault.dev.forTenant(tenant)
  const headers = { 'SVC-API-KEY': tenant.managementKey }
  for (const [where, fetched] of [
    ['in process', vault.fetch],
    ['over the wire', fetch],
  ] as const) {
    const caller = new AbortController()
    const given = fetched(`${url}/_dev/requests/next?timeout=30000&status=404`, {
      headers,
      signal: caller.signal,
    })
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    caller.abort()
    await t.rejects(given, { name: 'AbortError' })
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    await tenant.send('GET', '/tokens/unknown')
    t.equal((await requests.next({ status: 404 })).operation, 'tokens.get', where)
  }
})

t.test('requests of formulas, and those that a fault kept back, are recorded', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const { requests, faults } = vault.dev.forTenant(tenant)
  const application = (await tenant.send('GET', '/applications/key')).json.id
  const react = await reactorOn(
    tenant,
    "module.exports = async req => ({ raw: (await req.svc.tokens.create({ type: 'token', data: 's3cret' })).id })",
    { reactor: { application: { id: application } } },
  )
  t.equal((await react({})).status, 200)
  t.match(await requests.next({ operation: 'tokens.create' }), {
    formula: true,
    status: 201,
    application_id: application,
    body: { type: 'token', data: 'string(6)' },
  })
  await faults.next({ drop: 'after' })
  await t.rejects(tenant.send('GET', '/tokens'), TypeError)
  const lost = await requests.next({ operation: 'tokens.list' })
  t.equal(lost.faulty, true)
  t.equal(lost.status, undefined)
})

t.test('no value that a caller has sent is in a record', async t => {
  const vault = openReactors(t)
  const tenant = await openTenant(vault)
  const canaries = new Canaries()
  const secret = (what: string) => canaries.word(what)
  const number = Number(canaries.digits('a number', 12))
  const sent: [string, string, object][] = [
    ['POST', '/tokens', { type: 'token', data: { a: secret('data'), [secret('name').repeat(3)]: number } }],
    ['POST', '/tokens', { type: 'token', data: [[secret('nested')]], metadata: { m: secret('metadata') } }],
    ['POST', '/tokens', { type: 'token', data: 1, mask: secret('mask'), id: secret('id').slice(0, 20) }],
    ['POST', '/tokens', { type: secret('type'), data: secret('refused') }],
    ['POST', '/tokens/search', { query: `metadata.a:${secret('query')}` }],
    ['POST', '/tokenize', { one: secret('tokenized'), [`4${canaries.digits('digits', 15)}`]: 1 }],
    ['POST', '/detokenize', { one: secret('detokenized') }],
    ['GET', `/tokens/${secret('path')}`, {}],
    ['GET', `/tokens?metadata.a=${secret('query string')}`, {}],
  ]
  for (const [method, path, body] of sent)
    await tenant.send(method, path, method === 'GET' ? undefined : (body as never))
  const react = await reactorOn(tenant, 'module.exports = async () => ({})')
  await react({ args: { a: secret('args'), callback: 2 } })
  const record = (await tenant.asManagement('GET', '/_dev/requests')).text
  t.ok(JSON.parse(record).data.length >= sent.length, 'the control: they were recorded')
  t.same(findLeaks(canaries.all, record), [])
})

t.test('a body is shown by its shape', async t => {
  t.same(redact({ a: 'text', b: 12.5, c: true, d: null, e: ['x', 1], f: {}, type: 'card' }), {
    a: 'string(4)',
    b: 'number(4)',
    c: true,
    d: null,
    e: ['string(1)', 'number(1)'],
    f: {},
    type: 'card',
  })
  t.same(redact({ '4242': 1, 'a b': 2, ['x'.repeat(41)]: 3 }), {
    'name(4)': 'number(1)',
    'name(3)': 'number(1)',
    'name(41)': 'number(1)',
  })
  const many = redact(Array.from({ length: 5000 }, () => 'x')) as string[]
  t.equal(many.length, 1001)
  t.equal(many.at(-1), '…')
  const wide = redact(Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`m${at}`, 'x']))) as object
  t.ok(Object.keys(wide).length <= 1001)
  let deep: unknown = 'x'
  for (let level = 0; level < 64; level++) deep = [deep]
  t.match(JSON.stringify(redact(deep as never)), /string\(1\)/)
})

t.test('a million entries keep to the bound', async t => {
  const log = new BoundedLog<number>(1000, 50_000)
  for (let entry = 1; entry <= 1_000_000; entry++) log.add(entry, 40)
  const kept = log.list(() => true)
  t.equal(kept.length, 1000)
  t.equal(kept.at(-1), 1_000_000)
  const large = new BoundedLog<number>(1000, 50_000)
  for (let entry = 1; entry <= 1000; entry++) large.add(entry, 1000)
  t.equal(large.list(() => true).length, 50, 'by bytes')
  large.add(0, 60_000)
  t.same(
    large.list(() => true),
    [],
    'one that is larger than all room is not kept',
  )
  large.add(7, 10)
  t.same(
    large.list(() => true),
    [7],
  )
})

t.test('the requests of a server keep to the bound', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const { requests } = vault.dev.forTenant(tenant)
  const get = () => tenant.send('GET', '/tokens/any')
  for (let round = 0; round < 105; round++) await Promise.all(Array.from({ length: 10 }, get))
  const list = await requests.list()
  t.equal(list.length, 1000)
  t.equal(list[0]?.number, 51)
  const payload = Object.fromEntries(
    Array.from({ length: 900 }, (_, at) => [`some_longer_name_${'x'.repeat(at % 20)}`, at]),
  )
  const big = { type: 'token', data: { list: Array.from({ length: 900 }, () => 'value'), payload } } as const
  for (let round = 0; round < 120; round++) await tenant.send('POST', '/tokens', big)
  const text = (await tenant.asManagement('GET', '/_dev/requests')).text
  t.ok(text.length < 1_100_000, `${text.length} characters`)
  await vault.dev.reset()
  const again = await openTenant(vault)
  t.same(await vault.dev.forTenant(again).requests.list(), [])
})
