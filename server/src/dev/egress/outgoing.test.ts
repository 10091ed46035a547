import t from 'tap'
import { Canaries, findLeaks } from '../../../verify/support/canaries.ts'
import { reactorOn } from '../../../verify/support/reactors.ts'
import { openReceiver } from '../../../verify/support/receiver.ts'
import { openTenant } from '../../../verify/support/vault.ts'
import { requestMatchers } from '../../generated/dev-client/index.ts'
import { devsOf, failureOf, number, openDev } from '../_dev.ts'

const api = 'https://api.example.com'

/** A formula that charges a card, by JSON or as a form. */
const code = `module.exports = async ({ args: { path, card, form } }) => {
  const body = form ? new URLSearchParams({ number: card.number }) : JSON.stringify({ amount: 5, source: card })
  const headers = { 'Content-Type': form ? 'application/x-www-form-urlencoded' : 'application/json' }
  const { status } = await fetch('${api}' + path, { method: 'POST', headers, body: String(body) })
  return { raw: { status } }
}`

async function open(t: Parameters<typeof openDev>[0]) {
  const opened = await openDev(t)
  const react = await reactorOn(opened.tenant, code)
  await opened.tenant.send('POST', '/tokens', { id: 'the-card', type: 'card', data: { number } })
  const charge = (path: string, more = {}) => react({ args: { path, card: '{{ the-card }}', ...more } })
  return { ...opened, react, charge }
}

t.test('what leaves is recorded with who has sent it and who answered, and without data', async t => {
  const { vault, tenant, dev, react, charge } = await open(t)
  await dev.egress.respond(`${api}/v1/*`, { status: 201 })
  const application = (await tenant.send('GET', '/applications/key')).json.id
  const trace = (await charge(`/v1/charges/${number}/x?secret=1`)).headers.get('svc-trace-id')
  await charge('/v2', {})
  await react({ args: { path: '/v1/later', card: '{{ the-card }}' }, callback_url: dev.inbox.url })
  await dev.settled()
  const [first, second, third, delivery] = await dev.egress.requests.list()
  t.same(
    [first, second, third, delivery].map(one => [
      one?.on,
      one?.method,
      one?.url,
      one?.answered_by,
      one?.status,
    ]),
    [
      ['formula', 'POST', `${api}/v1/charges/string(16)/x`, 'test', 201],
      ['formula', 'POST', `${api}/v2`, 'nobody', undefined],
      ['formula', 'POST', `${api}/v1/later`, 'test', 201],
      ['delivery', 'POST', 'https://inbox.surrogate.invalid/', 'inbox', 200],
    ],
  )
  t.match(first, {
    ...{ application_id: application, reactor_id: react.id, trace_id: trace },
    body: { amount: 'number(1)', source: { number: 'string(16)' } },
  })
  t.match(second?.error, /neither an option nor a test/)
  t.match(delivery, { reactor_id: react.id, body: { raw: { status: 'number(3)' } } })
  t.same(await vault.dev.forTenant(await openTenant(vault)).egress.requests.list(), [], 'of this tenant only')
  t.equal((await dev.egress.requests.list({ on: 'delivery' })).length, 1)
  t.equal((await dev.egress.requests.next({ status: 201 })).number, first?.number)
  t.equal((await dev.egress.requests.next({ status: 201 })).number, third?.number)
  await t.rejects(
    dev.egress.requests.next({ status: 201, timeout: 1 }),
    /there were POST .*nobody.* no response/,
  )
  await dev.egress.requests.clear()
  t.same(await dev.egress.requests.list(), [])
})

t.test('assertions compare values, and name the nearest request', async t => {
  const { tenant, vault, charge } = await open(t)
  for (const [where, dev] of await devsOf(vault, tenant)) {
    const { requests } = dev.egress
    await dev.egress.clear()
    await dev.egress.respond(api, { status: 201 })
    await charge('/v1/charges')
    await charge('/v1/forms', { form: true })
    const body = { amount: 5, source: { number } }
    await requests.assert({ url: `${api}/v1/charges`, method: 'POST', body, status: 201, times: 1 })
    await requests.assert({ url: `${api}/*/forms`, body: { number } })
    await requests.assert({ url: api, body: { number: 'string(16)' } })
    await requests.assertOrder([{ url: `${api}/v1/charges` }, { on: 'formula', body: { number } }])
    await requests.assertNone({ on: 'proxy' })
    await requests.assertNone({ body: { number: '4111111111111111' } })
    const other = { url: `${api}/v1/charge`, body: { amount: 6, source: { number } } }
    const { message } = await failureOf(requests.assert(other))
    const [{ number: first } = { number: 0 }] = await requests.list()
    t.equal(
      message,
      `expected a request to any target with this url, this body, received 0; the nearest one:
  ${first}: POST ${api}/v1/charges (answered by test) 201
    url
      - expected: ${api}/v1/charge
      + received: ${api}/v1/charges
    body.amount
      - expected: number(1)
      + received: number(1), another value`,
      where,
    )
    t.match(await requestMatchers.toHaveReceived.call({}, requests as never, { url: api, times: 2 }), {
      pass: true,
    })
    t.match(await requestMatchers.toHaveReceived.call({}, requests as never, other), { pass: false })
    await requests.clear()
  }
  const silent = vault.dev.forTenant(await openTenant(vault)).egress.requests
  await t.rejects(silent.assertNone({ url: api }), /no request of this tenant has ever left the server/)
  await silent.assertNone({ url: api, allowSilence: true })
})

t.test('requests to /proxy and webhooks are answered in the place of their targets, too', async t => {
  const { vault, tenant, dev, react } = await open(t)
  const headers = { 'SVC-PROXY-URL': `${api}/v1/charges` }
  const proxied = () => tenant.send('POST', '/proxy', { source: '{{ the-card }}', amount: 5 }, headers)
  t.equal((await proxied()).status, 400)
  await dev.egress.respond(
    { url: api, on: 'proxy' },
    { status: 201, body: { id: 'ch_1' }, headers: { 'set-cookie': 'a=b' } },
  )
  const { status, json, headers: passed } = await proxied()
  t.match([status, json], [201, { id: 'ch_1' }])
  t.equal(passed.get('set-cookie'), null, 'what is passed on is the same as from the network')
  await dev.egress.requests.assert({ on: 'proxy', body: { amount: 5, source: { number } }, times: 1 })
  await dev.egress.respond({ url: api, on: 'proxy' }, { drop: true })
  t.match(await proxied(), {
    status: 502,
    json: { detail: /a test has ordered that the connection is closed/ },
  })

  await dev.egress.respond('https://hooks.example.org', { status: 503 }, { times: 1 })
  await dev.egress.respond('https://hooks.example.org/done', { status: 204 })
  t.equal(
    (await react({ args: { path: '/', card: 1 }, callback_url: 'https://hooks.example.org/done' })).status,
    202,
  )
  t.same(await dev.settled(), { later: 1 })
  await vault.clock.advance('1m')
  t.same(await dev.settled(), { later: 0 })
  t.same(
    (await dev.egress.requests.list({ on: 'delivery' })).map(one => one.status),
    [503, 204],
  )
})

t.test(
  'what leaves goes to the network if only an option allows it, and is recorded all the same',
  async t => {
    const receiver = await openReceiver(t)
    const { tenant, dev } = await openDev(t, { proxyMapOrigins: { [api]: receiver.origin } })
    const headers = { 'SVC-PROXY-URL': `${api}/a` }
    t.equal((await tenant.send('GET', '/proxy', undefined, headers)).status, 200)
    t.match(await dev.egress.requests.list(), [{ answered_by: 'network', status: 200, url: `${api}/a` }])
    t.equal(receiver.received.length, 1)
  },
)

t.test('no list, match or failure shows a value that a request carried', async t => {
  const { tenant, dev, charge } = await open(t)
  const canaries = new Canaries()
  const secret = canaries.like('a value', 'Ab34567890ABCDEF')
  const name = canaries.like('a name', '4242AB4242')
  await tenant.send('POST', '/tokens', { id: 'secret', type: 'token', data: secret })
  await dev.egress.respond(api, { status: 201 })
  await charge(`/v1/${secret}?${name}=${secret}`, { card: { number: secret, [name]: secret } })
  await charge('/v1', { form: true, card: { number: secret } })
  const { requests } = dev.egress
  t.equal((await requests.list()).length, 2)
  const failed = await failureOf(requests.assert({ url: `${api}/${secret}`, body: { a: secret } }))
  const shown = JSON.stringify([await requests.list(), await requests.match({ body: { a: secret } })])
  t.same(findLeaks(canaries.all, shown + failed.message), [])
})
