import t from 'tap'
import { Canaries, findLeaks } from '../../verify/support/canaries.ts'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import { number, openDev, turns, waysTo } from './_dev.ts'
import { BoundedLog } from './bounded-log.ts'
import { redact } from './redact.ts'

t.test('requests are recorded, with what identifies them and without what they carry', async t => {
  const { vault, tenant, dev } = await openDev(t)
  const other = await openTenant(vault)
  const at = await vault.clock.now()
  const marks = { 'SVC-TRACE-ID': 'the trace', 'SVC-IDEMPOTENCY-KEY': 'the key' }
  await tenant.send('POST', '/tokens', { type: 'card', data: { number } }, marks)
  await tenant.asManagement('GET', '/applications')
  await tenant.send('POST', '/tokens', { id: 'a b', type: 'token', data: 1 })
  await tenant.send('GET', '/tokens/a%20b')
  await tenant.send('GET', '/tokens/unknown')
  const unknown = '6f1c1bb0-0000-4000-8000-0123456789ab'
  await tenant.send('DELETE', `/tokens/${unknown}`)
  await tenant.as('wrong')('GET', '/tokens')
  await other.send('GET', '/tokens')
  const own = (await tenant.send('GET', '/applications/key')).json
  const found = await dev.requests.list()
  t.same(
    found.map(({ operation, status, path }) => `${operation} ${status} ${path}`),
    [
      'tokens.create 201 /tokens',
      'applications.list 200 /applications',
      'tokens.create 201 /tokens',
      'tokens.get 200 /tokens/a%20b',
      'tokens.get 404 /tokens/{id}',
      `tokens.delete 404 /tokens/${unknown}`,
      'applications.getByKey 200 /applications/key',
    ],
  )
  const [first, , , read, missing, deleted, last] = found
  t.match(first, {
    ...{ method: 'POST', application_id: own.id, trace_id: 'the trace', idempotency_key: 'the key' },
    body: { type: 'card', data: { number: 'string(16)' } },
  })
  t.ok(Date.parse(first?.at ?? '') >= at - 1)
  t.ok((first?.duration_ms ?? 0) > 0)
  t.match(missing, { error: 'urn:surrogate:error:not_found' })
  t.same(
    [read?.id, missing?.id, deleted?.id],
    ['a b', undefined, unknown],
    'an id of nothing may be anything',
  )
  t.same(await dev.requests.list({ operation: 'tokens.get', status: 200 }), [read])
  t.same(await dev.requests.list({ since: deleted?.number ?? 0 }), [last])
  t.equal((await vault.dev.forTenant(other).requests.list()).length, 1, 'each tenant its own')
})

t.test('next returns each request once, and waits for one', async t => {
  const { tenant, dev } = await openDev(t)
  const { requests } = dev
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
  await t.rejects(
    requests.next({ operation: 'logs.list', timeout: 1 }),
    /no request matches .*logs\.list.*; there were tokens\.list \(\/tokens\) 200, /,
  )
})

t.test('a wait whose caller is gone takes nothing from others', async t => {
  const { vault, tenant, dev } = await openDev(t)
  const { url, ways } = await waysTo(vault)
  for (const [where, fetched] of ways) {
    const caller = new AbortController()
    const given = { headers: { 'SVC-API-KEY': tenant.managementKey }, signal: caller.signal }
    const asked = fetched(`${url}/_dev/requests/next?timeout=30000&status=404`, given)
    await turns()
    caller.abort()
    await t.rejects(asked, { name: 'AbortError' })
    await turns()
    await tenant.send('GET', '/tokens/unknown')
    t.equal((await dev.requests.next({ status: 404 })).operation, 'tokens.get', where)
  }
})

t.test('requests of formulas, and those that a fault kept back, are recorded', async t => {
  const { tenant, dev } = await openDev(t)
  const application = (await tenant.send('GET', '/applications/key')).json.id
  const code = `module.exports = ({ svc }) => svc.tokens.create({ type: 'token', data: 's3cret' })`
  const react = await reactorOn(tenant, code, { reactor: { application: { id: application } } })
  await react()
  t.match(await dev.requests.next({ operation: 'tokens.create' }), {
    formula: true,
    status: 201,
    application_id: application,
    body: { type: 'token', data: 'string(6)' },
  })
  await dev.faults.next({ drop: 'after' })
  await t.rejects(tenant.send('GET', '/tokens'), TypeError)
  const lost = await dev.requests.next({ operation: 'tokens.list' })
  t.match(lost, { faulty: true, status: undefined })
})

t.test('no value that a caller has sent is in a record', async t => {
  const { tenant } = await openDev(t)
  const canaries = new Canaries()
  const secret = (what: string) => canaries.word(what)
  const digits = Number(canaries.digits('a number', 12))
  const sent: [path: string, body?: object][] = [
    ['/tokens', { type: 'token', data: { a: secret('data'), [secret('name').repeat(3)]: digits } }],
    ['/tokens', { type: 'token', data: [[secret('nested')]], metadata: { m: secret('metadata') } }],
    ['/tokens', { type: 'token', data: 1, mask: secret('mask'), id: secret('id').slice(0, 20) }],
    ['/tokens', { type: secret('type'), data: secret('refused') }],
    ['/tokens/search', { query: `metadata.a:${secret('query')}` }],
    ['/tokenize', { one: secret('tokenized'), [`4${canaries.digits('digits', 15)}`]: 1 }],
    ['/detokenize', { one: secret('detokenized') }],
    [`/tokens/${secret('path')}`],
    [`/tokens?metadata.a=${secret('query string')}`],
  ]
  for (const [path, body] of sent) await tenant.send(body ? 'POST' : 'GET', path, body as never)
  const react = await reactorOn(tenant, 'module.exports = async () => ({})')
  await react({ args: { a: secret('args'), callback: 2 } })
  const record = (await tenant.asManagement('GET', '/_dev/requests')).text
  t.ok(JSON.parse(record).data.length >= sent.length, 'the control: they were recorded')
  t.same(findLeaks(canaries.all, record), [])
})

t.test('a body is shown by its shape', async t => {
  t.same(redact({ a: 'text', b: 12.5, c: true, d: null, e: ['x', 1], f: {}, type: 'card' }), {
    ...{ a: 'string(4)', b: 'number(4)', c: true, d: null },
    ...{ e: ['string(1)', 'number(1)'], f: {}, type: 'card' },
  })
  t.same(redact({ '4242': 1, 'a b': 2, ['x'.repeat(41)]: 3 }), {
    'name(4)': 'number(1)',
    'name(3)': 'number(1)',
    'name(41)': 'number(1)',
  })
  const many = redact(Array.from({ length: 5000 }, () => 'x')) as string[]
  t.same([many.length, many.at(-1)], [1001, '…'])
  const wide = redact(Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`m${at}`, 'x']))) as object
  t.ok(Object.keys(wide).length <= 1001)
  const deep = JSON.parse(`${'['.repeat(64)}"x"${']'.repeat(64)}`)
  t.match(JSON.stringify(redact(deep)), /string\(1\)/)
})

t.test('a log keeps to its bounds, of items and of bytes', async t => {
  const log = new BoundedLog<number>(1000, 50_000)
  const kept = () => log.list(() => true)
  for (let entry = 1; entry <= 1_000_000; entry++) log.add(entry, 40)
  t.same([kept().length, kept().at(-1)], [1000, 1_000_000])
  for (let entry = 1; entry <= 1000; entry++) log.add(entry, 1000)
  t.equal(kept().length, 50, 'by bytes')
  log.add(0, 60_000)
  t.same(kept(), [], 'one that is larger than all room is not kept')
  log.add(7, 10)
  t.same(kept(), [7])
})

t.test('the requests of a server keep to the bound, and end with a reset', async t => {
  const { vault, tenant, dev } = await openDev(t)
  const get = () => tenant.send('GET', '/tokens/any')
  for (let round = 0; round < 105; round++) await Promise.all(Array.from({ length: 10 }, get))
  const list = await dev.requests.list()
  t.same([list.length, list[0]?.number], [1000, 51])
  const names = Array.from({ length: 900 }, (_, at) => [`some_longer_name_${'x'.repeat(at % 20)}`, at])
  const data = { list: names.map(() => 'value'), payload: Object.fromEntries(names) }
  for (let round = 0; round < 120; round++) await tenant.send('POST', '/tokens', { type: 'token', data })
  const { length } = (await tenant.asManagement('GET', '/_dev/requests')).text
  t.ok(length < 1_100_000, `${length} characters`)
  await vault.dev.reset()
  t.same(await vault.dev.forTenant(await openTenant(vault)).requests.list(), [])
})
