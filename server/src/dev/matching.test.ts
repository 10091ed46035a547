import t, { type Test } from 'tap'
import { Canaries, findLeaks } from '../../verify/support/canaries.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { DevAssertionError, requestMatchers } from '../generated/dev-client/index.ts'

const card = { type: 'card', data: { number: '4242424242424242', expiration_month: 12 } } as const

async function openShop(t: Test) {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  return { vault, tenant, requests: vault.dev.forTenant(tenant).requests }
}

/** The message with which an assertion fails. */
async function failure(assertion: Promise<unknown>): Promise<string> {
  const error = await assertion.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(error instanceof Error)) throw new Error('it did not fail')
  return error.message
}

t.test('requests match by operation, path, status, and the values of a part of the body', async t => {
  const { tenant, requests } = await openShop(t)
  const { id } = (await tenant.send('POST', '/tokens', { ...card, metadata: { 'order-id': 'A 17' } })).json
  await tenant.send('GET', `/tokens/${id}`)
  await tenant.send('GET', '/tokens/missing/')
  await tenant.send('POST', '/tokens', { type: 'token', data: [1, { a: null, b: true }] })
  const count = async (pattern: object) => (await requests.match(pattern)).data.length
  for (const [pattern, expected, what] of [
    [{}, 4, 'all'],
    [{ operation: 'tokens.get' }, 2, 'an operation'],
    [{ path: `/tokens/${id}` }, 1, 'a path'],
    [{ path: '/tokens/missing' }, 1, 'the path of nothing, which is not shown'],
    [{ path: '/tokens/other' }, 0, 'another path'],
    [{ path: '/tokens/{id}' }, 2, 'any id'],
    [{ status: 404 }, 1, 'a status'],
    [{ body: card }, 1, 'a body'],
    [{ body: { data: { number: '4242424242424242' } } }, 1, 'a part of a body'],
    [{ body: { data: { number: '4242424242424241' } } }, 0, 'another value of the same length'],
    [{ body: { data: { number: 4242424242424242 } } }, 0, 'a number in the place of a text'],
    [{ body: { data: { number: 'string(16)' } } }, 1, 'any text of a length'],
    [{ body: { data: { number: 'string(15)' } } }, 0, 'any text of another length'],
    [{ body: { data: { expiration_month: 12 } } }, 1, 'a number'],
    [{ body: { data: { expiration_month: 11 } } }, 0, 'another number'],
    [{ body: { metadata: { 'order-id': 'A 17' } } }, 1, 'a name that is not shown'],
    [{ body: { metadata: { 'order-no': 'A 17' } } }, 0, 'another name of the same length'],
    [{ body: { type: 'token' } }, 1, 'a value that the contract lists'],
    [{ body: { data: [1, { a: null }] } }, 1, 'a part of an element'],
    [{ body: { data: [1] } }, 0, 'a shorter list'],
    [{ body: { data: [1, { a: false }] } }, 0, 'another constant'],
    [{ since: (await requests.list()).at(-2)?.number ?? 0 }, 1, 'since'],
  ] as const)
    t.equal(await count(pattern), expected, what)
})

t.test('a text that looks like a shape matches itself', async t => {
  const { tenant, requests } = await openShop(t)
  await tenant.send('POST', '/tokens', { type: 'token', data: 'string(3)' })
  await t.resolves(requests.assert({ body: { data: 'string(3)' } }))
  await t.rejects(requests.assert({ body: { data: 'string(4)' } }), { name: 'AssertionError' })
})

t.test('assert names the nearest request and what differs, as an assertion error', async t => {
  const { tenant, requests } = await openShop(t)
  t.match(
    await failure(requests.assert({ operation: 'tokens.create' })),
    /^expected a request to tokens\.create, received 0; there was no request$/,
  )
  await tenant.send('GET', '/tokens')
  await tenant.send('POST', '/tokens', card)
  const number = (await requests.list()).at(-1)?.number
  await tenant.send('GET', '/tokens/missing')
  const wanted = { type: 'bank', data: { number: '4111111111111111', name: 'Ann' } }
  const error = await requests
    .assert({ operation: 'tokens.create', body: wanted, path: '/tokens' })
    .catch(error => error)
  t.ok(error instanceof DevAssertionError)
  t.match(error, { name: 'AssertionError', code: 'ERR_ASSERTION', actual: 0, expected: 'at least 1' })
  t.equal(
    error.message,
    `expected a request to tokens.create with this path, this body, received 0; the nearest one:
  ${number}: tokens.create (/tokens) 201
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
    await failure(requests.assert({ operation: 'tokens.create', times: 2 })),
    /^expected 2 requests to tokens\.create, received 1; these match:\n {2}\d+: tokens\.create \(\/tokens\) 201$/,
  )
  await t.resolves(requests.assert({ operation: 'tokens.create', times: 1 }))
})

t.test('of requests that differ as little, the latest is the nearest', async t => {
  const { tenant, requests } = await openShop(t)
  await tenant.send('GET', '/tokens/missing')
  await tenant.send('GET', '/tokens/missing')
  const [, latest] = await requests.list()
  t.equal((await requests.match({ status: 200 })).nearest?.request.number, latest?.number)
})

t.test('assertNone shows what came', async t => {
  const { tenant, requests } = await openShop(t)
  await tenant.send('GET', '/tokens')
  await t.resolves(requests.assertNone({ operation: 'tokens.create' }))
  t.match(
    await failure(requests.assertNone({ operation: 'tokens.list' })),
    /received 1; these match:\n.*tokens\.list/,
  )
  t.match(await failure(requests.assertNone()), /expected 0 requests to any operation/)
})

t.test('an assertion of no request fails if none could have been seen', async t => {
  const { vault, tenant, requests } = await openShop(t)
  const none = { operation: 'tokens.delete' } as const
  const not = { isNot: true }
  const assertions = (options: object) => [
    () => requests.assertNone({ ...none, ...options }),
    () => requests.assert({ ...none, ...options, times: 0 }),
    async () => void (await requestMatchers.toHaveReceived.call(not, requests, { ...none, ...options })),
  ]
  const says = /no request of this tenant has ever come.*tokens\.delete.*allowSilence/s
  for (const assertion of assertions({})) t.match(await failure(assertion()), says)
  const inOrder = () => requestMatchers.toHaveReceivedInOrder.call(not, requests, [none])
  t.match(await failure(inOrder()), /has ever come/)
  for (const assertion of assertions({ allowSilence: true })) await t.resolves(assertion())
  t.match(
    await requestMatchers.toHaveReceived(requests, none),
    { pass: false },
    'without `not` it just fails',
  )
  await t.rejects(requests.assertOrder([]), { name: 'TypeError' })

  const other = await openTenant(vault)
  await other.send('GET', '/tokens')
  t.match(await failure(requests.assertNone(none)), says, 'that of another tenant does not count')
  await tenant.send('GET', '/tokens')
  for (const assertion of assertions({})) await t.resolves(assertion())
  await requests.clear()
  for (const assertion of assertions({})) await t.resolves(assertion(), 'one that was cleared counts')

  for (let sent = 0; sent <= 1000; sent++) await tenant.send('GET', '/tokens/none')
  for (const assertion of assertions({ allowSilence: true }))
    t.match(await failure(assertion()), /may be missing, as the first ones are no longer kept/)
  const [{ number: since } = { number: 0 }] = await requests.list()
  await t.resolves(requests.assertNone({ ...none, since }))
})

t.test('assertOrder finds requests one after the other, with others between them', async t => {
  const { tenant, requests } = await openShop(t)
  const { id } = (await tenant.send('POST', '/tokens', card)).json
  await tenant.send('GET', '/tokens')
  await tenant.send('GET', `/tokens/${id}`)
  const [create, list, get] = [
    { operation: 'tokens.create' },
    { operation: 'tokens.list' },
    { operation: 'tokens.get' },
  ]
  await t.resolves(requests.assertOrder([create, get]))
  await t.resolves(requests.assertOrder([create, list, get]))
  t.match(
    await failure(requests.assertOrder([create, get, list])),
    /^request 3 of 3, to tokens\.list, did not come after request number \d+; these match:\n.*tokens\.list/,
  )
  t.match(await failure(requests.assertOrder([create, create])), /request 2 of 2.*did not come after/s)
  t.match(
    await failure(requests.assertOrder([{ operation: 'tokens.delete' }])),
    /request 1 of 1.*did not come; the nearest/s,
  )
})

t.test('an unknown operation is refused with a suggestion, also where nothing is expected', async t => {
  const { tenant, requests } = await openShop(t)
  await tenant.send('GET', '/tokens')
  const suggestion = /operation is not an operation; did you mean tokens\.create\?/
  for (const assertion of [
    requests.assert({ operation: 'tokens.creat' }),
    requests.assertNone({ operation: 'tokens.creat' }),
    requests.assertOrder([{ operation: 'tokens.creat' }]),
    requestMatchers.toHaveReceived(requests, { operation: 'tokens.creat' }),
    requests.list({ operation: 'tokens.creat' }),
  ])
    t.match(await failure(assertion), suggestion)
  await t.resolves(requests.assertNone({ operation: 'proxy.get' }), 'those of /proxy are known')
})

t.test('clear forgets the requests of one tenant', async t => {
  const { vault, tenant, requests } = await openShop(t)
  const other = await openTenant(vault)
  await tenant.send('GET', '/tokens')
  await other.send('GET', '/tokens')
  const [{ number } = { number: 0 }] = await requests.list()
  await requests.clear()
  await t.resolves(requests.assertNone())
  await t.resolves(vault.dev.forTenant(other).requests.assert({ operation: 'tokens.list' }))
  await tenant.send('GET', '/tokens')
  t.ok(((await requests.list())[0]?.number ?? 0) > number)
})

t.test('no value of a request or of a pattern is in a failure', async t => {
  const { tenant, requests } = await openShop(t)
  const canaries = new Canaries()
  const sent = canaries.digits('a card in a body', 16)
  const inPath = canaries.digits('a card in a path', 16)
  const inHeader = canaries.digits('a card in a header', 16)
  const expected = canaries.digits('a card that is expected', 16)
  const name = canaries.digits('a card as a name', 16)
  await tenant.send('POST', '/tokens', { type: 'token', data: sent }, { 'SVC-IDEMPOTENCY-KEY': inHeader })
  await tenant.send('GET', `/tokens/${inPath}`)
  const failures = [
    await failure(
      requests.assert({ operation: 'tokens.create', body: { data: expected, metadata: { [name]: name } } }),
    ),
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
  const list = Array.from({ length: 999 }, () => 1)
  await tenant.send('POST', '/tokens', { type: 'token', data: list })
  t.equal(
    (await requests.match({ body: { data: list } })).data.length,
    0,
    'a body of 1,001 members is not kept whole',
  )
  await t.rejects(requests.match({ body: [...list, 1, 1] }), /body must have at most 1000 members/)
  const { nearest } = await requests.match({ body: Object.fromEntries(list.map((_, at) => [`m${at}`, 1])) })
  t.equal(nearest?.differences.length, 20)
  await t.rejects(requests.match({ path: '/'.repeat(2001) }), /path/)
})

t.test('the matchers pass and fail as the assertions do', async t => {
  const { tenant, requests } = await openShop(t)
  await tenant.send('GET', '/tokens')
  const { toHaveReceived, toHaveReceivedInOrder } = requestMatchers
  const list = { operation: 'tokens.list' }
  t.match(await toHaveReceived(requests, list), { pass: true })
  t.match((await toHaveReceived(requests, list)).message(), /should not be there.*tokens\.list/s)
  t.match(await toHaveReceived(requests, { ...list, times: 2 }), { pass: false })
  t.match((await toHaveReceived(requests, { ...list, times: 2 })).message(), /^expected 2 requests/)
  t.match(await toHaveReceivedInOrder(requests, [list]), { pass: true })
  t.match(await toHaveReceivedInOrder(requests, [list, list]), { pass: false })
})
