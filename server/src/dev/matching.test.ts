import t from 'tap'
import { Canaries, findLeaks } from '../../verify/support/canaries.ts'
import { openTenant } from '../../verify/support/vault.ts'
import { DevAssertionError, requestMatchers } from '../generated/dev-client/index.ts'
import { failureOf, number, openDev } from './_dev.ts'

const card = { type: 'card', data: { number, expiration_month: 12 } } as const

async function openShop(t: Parameters<typeof openDev>[0]) {
  const { vault, tenant, dev } = await openDev(t)
  const get = (path: string) => tenant.send('GET', path)
  return { vault, tenant, get, requests: dev.requests }
}

/** The message with which an assertion fails. */
const failure = async (assertion: Promise<unknown>) => (await failureOf(assertion)).message

t.test('requests match by operation, path, status, and the values of a part of the body', async t => {
  const { tenant, get, requests } = await openShop(t)
  const { id } = (await tenant.send('POST', '/tokens', { ...card, metadata: { 'order-id': 'A 17' } })).json
  await get(`/tokens/${id}`)
  await get('/tokens/missing/')
  await tenant.send('POST', '/tokens', { type: 'token', data: [1, { a: null, b: true }, 'string(3)'] })
  const ofNumber = (given: unknown) => ({ body: { data: { number: given } } })
  for (const [pattern, expected, what] of [
    [{}, 4, 'all'],
    [{ operation: 'tokens.get' }, 2, 'an operation'],
    [{ path: `/tokens/${id}` }, 1, 'a path'],
    [{ path: '/tokens/missing' }, 1, 'the path of nothing, which is not shown'],
    [{ path: '/tokens/other' }, 0, 'another path'],
    [{ path: '/tokens/{id}' }, 2, 'any id'],
    [{ status: 404 }, 1, 'a status'],
    [{ body: card }, 1, 'a body'],
    [ofNumber(number), 1, 'a part of a body'],
    [ofNumber('4242424242424241'), 0, 'another value of the same length'],
    [ofNumber(4242424242424242), 0, 'a number in the place of a text'],
    [ofNumber('string(16)'), 1, 'any text of a length'],
    [ofNumber('string(15)'), 0, 'any text of another length'],
    [{ body: { data: { expiration_month: 12 } } }, 1, 'a number'],
    [{ body: { data: { expiration_month: 11 } } }, 0, 'another number'],
    [{ body: { metadata: { 'order-id': 'A 17' } } }, 1, 'a name that is not shown'],
    [{ body: { metadata: { 'order-no': 'A 17' } } }, 0, 'another name of the same length'],
    [{ body: { type: 'token' } }, 1, 'a value that the contract lists'],
    [{ body: { data: [1, { a: null }, 'string(3)'] } }, 1, 'a text that looks like a shape matches itself'],
    [{ body: { data: [1, { a: null }, 'string(4)'] } }, 0, 'and no other'],
    [{ body: { data: [1] } }, 0, 'a shorter list'],
    [{ body: { data: [1, { a: false }, 'string(3)'] } }, 0, 'another constant'],
    [{ since: (await requests.list()).at(-2)?.number ?? 0 }, 1, 'since'],
  ] as const)
    t.equal((await requests.match(pattern as object)).data.length, expected, what)
})

t.test('assert names the nearest request and what differs, as an assertion error', async t => {
  const { tenant, get, requests } = await openShop(t)
  const create = { operation: 'tokens.create' }
  const nothing = 'expected a request to tokens.create, received 0; there was no request'
  t.equal(await failure(requests.assert(create)), nothing)
  await get('/tokens')
  await tenant.send('POST', '/tokens', card)
  await get('/tokens/missing')
  await get('/tokens/missing')
  const [, created, , latest] = await requests.list()
  const body = { type: 'bank', data: { number: '4111111111111111', name: 'Ann' } }
  const error = await failureOf(requests.assert({ ...create, body, path: '/tokens' }))
  t.ok(error instanceof DevAssertionError)
  t.match(error, { name: 'AssertionError', code: 'ERR_ASSERTION', actual: 0, expected: 'at least 1' })
  t.equal(
    error.message,
    `expected a request to tokens.create with this path, this body, received 0; the nearest one:
  ${created?.number}: tokens.create (/tokens) 201
    body.type
      - expected: bank
      + received: card
    body.data.number
      - expected: string(16)
      + received: string(16), another value
    body.data.name
      - expected: string(3)
      + received: nothing`,
  )
  t.match(
    await failure(requests.assert({ ...create, times: 2 })),
    /^expected 2 requests to tokens\.create, received 1; these match:\n {2}\d+: tokens\.create \(\/tokens\) 201$/,
  )
  await t.resolves(requests.assert({ ...create, times: 1 }))
  const { nearest } = await requests.match({ operation: 'tokens.get', status: 200 })
  t.equal(nearest?.request.number, latest?.number, 'the latest of those that differ as little')
  await t.resolves(requests.assertNone({ operation: 'tokens.delete' }))
  const listed = await failure(requests.assertNone({ operation: 'tokens.list' }))
  t.match(listed, /received 1; these match:\n.*tokens\.list/)
  t.match(await failure(requests.assertNone()), /expected 0 requests to any operation/)
})

t.test('an assertion of no request fails if none could have been seen', async t => {
  const { vault, get, requests } = await openShop(t)
  const none = { operation: 'tokens.delete' } as const
  const not = { isNot: true }
  const assertions = (options: object) => [
    () => requests.assertNone({ ...none, ...options }),
    () => requests.assert({ ...none, ...options, times: 0 }),
    async () => void (await requestMatchers.toHaveReceived.call(not, requests, { ...none, ...options })),
  ]
  const says = /no request of this tenant has ever come.*tokens\.delete.*allowSilence/s
  for (const assertion of assertions({})) t.match(await failure(assertion()), says)
  const inOrder = requestMatchers.toHaveReceivedInOrder.call(not, requests, [none])
  t.match(await failure(inOrder), /has ever come/)
  for (const assertion of assertions({ allowSilence: true })) await t.resolves(assertion())
  t.match(await requestMatchers.toHaveReceived(requests, none), { pass: false }, 'control: without `not`')
  await t.rejects(requests.assertOrder([]), { name: 'TypeError' })

  await (await openTenant(vault)).send('GET', '/tokens')
  t.match(await failure(requests.assertNone(none)), says, 'that of another tenant does not count')
  await get('/tokens')
  for (const assertion of assertions({})) await t.resolves(assertion())
  await requests.clear()
  for (const assertion of assertions({})) await t.resolves(assertion(), 'one that was cleared counts')

  for (let sent = 0; sent <= 1000; sent++) await get('/tokens/none')
  for (const assertion of assertions({ allowSilence: true }))
    t.match(await failure(assertion()), /may be missing, as the first ones are no longer kept/)
  const [{ number: since } = { number: 0 }] = await requests.list()
  await t.resolves(requests.assertNone({ ...none, since }))
})

t.test('assertions of an order, and matchers, pass and fail as the others do', async t => {
  const { tenant, get, requests } = await openShop(t)
  const { id } = (await tenant.send('POST', '/tokens', card)).json
  await get('/tokens')
  await get(`/tokens/${id}`)
  const list = { operation: 'tokens.list' }
  const inOrder = (...names: string[]) =>
    requests.assertOrder(names.map(name => ({ operation: `tokens.${name}` })))
  await t.resolves(inOrder('create', 'get'))
  await t.resolves(inOrder('create', 'list', 'get'))
  const late = /^request 3 of 3, to tokens\.list, did not come after request number \d+; these match:\n.*list/
  t.match(await failure(inOrder('create', 'get', 'list')), late)
  t.match(await failure(inOrder('create', 'create')), /request 2 of 2.*did not come after/s)
  const deleted = await failure(inOrder('delete'))
  t.match(deleted, /request 1 of 1.*did not come; the nearest/s)

  const { toHaveReceived, toHaveReceivedInOrder } = requestMatchers
  const found = await toHaveReceived(requests, list)
  t.equal(found.pass, true)
  t.match(found.message(), /should not be there.*tokens\.list/s)
  const once = await toHaveReceived(requests, { ...list, times: 2 })
  t.equal(once.pass, false)
  t.match(once.message(), /^expected 2 requests/)
  t.match(await toHaveReceivedInOrder(requests, [list]), { pass: true })
  t.match(await toHaveReceivedInOrder(requests, [list, list]), { pass: false })
})

t.test('an unknown operation is refused with a suggestion, also where nothing is expected', async t => {
  const { get, requests } = await openShop(t)
  await get('/tokens')
  const unknown = { operation: 'tokens.creat' }
  for (const assertion of [
    requests.assert(unknown),
    requests.assertNone(unknown),
    requests.assertOrder([unknown]),
    requestMatchers.toHaveReceived(requests, unknown),
    requests.list(unknown),
    requests.next({ ...unknown, timeout: 0 }),
  ])
    t.match(await failure(assertion), /operation is not an operation; did you mean tokens\.create\?/)
  await t.rejects(requests.list({ operation: 'dev.reset' }), { status: 400, message: /not an operation/ })
  for (const method of ['get', 'post', 'put', 'patch', 'delete'])
    t.same(await requests.list({ operation: `proxy.${method}` }), [], method)
})

t.test('clear forgets the requests of one tenant', async t => {
  const { vault, get, requests } = await openShop(t)
  const other = await openTenant(vault)
  await get('/tokens')
  await other.send('GET', '/tokens')
  const [{ number } = { number: 0 }] = await requests.list()
  await requests.clear()
  await t.resolves(requests.assertNone())
  await t.resolves(vault.dev.forTenant(other).requests.assert({ operation: 'tokens.list' }))
  await get('/tokens')
  t.ok(((await requests.list())[0]?.number ?? 0) > number)
})

t.test('no value of a request or of a pattern is in a failure', async t => {
  const { tenant, get, requests } = await openShop(t)
  const canaries = new Canaries()
  const [sent, inPath, inHeader, expected, name] = ['body', 'path', 'header', 'pattern', 'name'].map(where =>
    canaries.digits(`a card in a ${where}`, 16),
  ) as [string, string, string, string, string]
  await tenant.send('POST', '/tokens', { type: 'token', data: sent }, { 'SVC-IDEMPOTENCY-KEY': inHeader })
  await get(`/tokens/${inPath}`)
  const body = { data: expected, metadata: { [name]: name } }
  const failures = [
    await failure(requests.assert({ operation: 'tokens.create', body })),
    await failure(requests.assert({ path: `/tokens/${expected}`, operation: 'tokens.get' })),
    await failure(requests.assertNone()),
    await failure(requests.assertOrder([{ operation: 'tokens.get' }, { body: { data: sent } }])),
    (await requestMatchers.toHaveReceived(requests, {})).message(),
  ].join('\n')
  t.match(failures, /body\.data\n {6}- expected: string\(16\)\n {6}\+ received: string\(16\), another value/)
  t.match(failures, /path\n {6}- expected: \/tokens\/string\(16\)\n {6}\+ received: \/tokens\/\{id\}/)
  t.same(findLeaks(canaries.all, failures), [])
})

t.test('a pattern has bounds', async t => {
  const { tenant, requests } = await openShop(t)
  const data = Array.from({ length: 999 }, () => 1)
  await tenant.send('POST', '/tokens', { type: 'token', data })
  t.same((await requests.match({ body: { data } })).data, [], 'a body of 1,001 members is not kept whole')
  await t.rejects(requests.match({ body: [...data, 1, 1] }), /body must have at most 1000 members/)
  const { nearest } = await requests.match({ body: Object.fromEntries(data.map((_, at) => [`m${at}`, 1])) })
  t.equal(nearest?.differences.length, 20)
  await t.rejects(requests.match({ path: '/'.repeat(2001) }), /path/)
})
