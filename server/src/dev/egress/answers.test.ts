import t from 'tap'
import { reactorOn } from '../../../verify/support/reactors.ts'
import { openReceiver } from '../../../verify/support/receiver.ts'
import { openTenant, type TestTenant } from '../../../verify/support/vault.ts'
import { devsOf, failureOf, number, openDev } from '../_dev.ts'

const api = 'https://api.example.com'

/** A formula that sends what its arguments say, and returns the response or the error. */
const code = `module.exports = async ({ args: { url, ...init } }) => {
  try {
    const response = await fetch(url, init)
    const headers = Object.fromEntries(response.headers)
    return { raw: { status: response.status, headers, text: await response.text() } }
  } catch (error) {
    return { raw: { error: String(error) } }
  }
}`

async function openFetching(tenant: TestTenant) {
  const react = await reactorOn(tenant, code)
  const fetched = async (url: string, init: object = {}) => (await react({ args: { url, ...init } })).json.raw
  const post = (url: string, body: unknown) =>
    fetched(url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  return { react, fetched, post }
}

async function open(...given: Parameters<typeof openDev>) {
  const opened = await openDev(...given)
  return { ...opened, ...(await openFetching(opened.tenant)) }
}

t.test(
  'a test answers what a formula fetches, in process and over the wire, for its tenant only',
  async t => {
    const { vault, tenant, fetched } = await open(t)
    const other = await openFetching(await openTenant(vault))
    const unanswered =
      /^TypeError: fetch is not available: neither an option nor a test answers https:\/\/api/
    t.match(await fetched(`${api}/v1/a`), { error: unanswered })
    for (const [where, { egress }] of await devsOf(vault, tenant)) {
      await egress.respond(api, { status: 402, headers: { 'X-Reason': 'funds' }, body: { id: 'ch_1' } })
      const answered = await fetched(`${api}/v1/a?b=c`)
      t.match(answered, { status: 402, text: '{"id":"ch_1"}' }, where)
      t.match(answered.headers, { 'x-reason': 'funds', 'content-type': 'application/json' })
      t.match(await other.fetched(`${api}/v1/a`), { error: unanswered }, 'another tenant')
      t.match(await fetched('https://api.example.org/v1/a'), { error: /answers https:\/\/api.example.org;/ })
      await egress.assertUsed()
      await egress.clear()
      t.match(await fetched(`${api}/v1/a`), { error: unanswered }, 'cleared')
    }
  },
)

t.test('statuses, texts, bytes, delays and closed connections', async t => {
  const { dev, fetched } = await open(t)
  const { egress } = dev
  for (const [answer, expected] of [
    [{}, { status: 200, text: '' }],
    [{ status: 204 }, { status: 204, text: '' }],
    [
      { status: 503, body: 'later' },
      { status: 503, text: 'later' },
    ],
    [{ body: [1, null] }, { status: 200, text: '[1,null]' }],
    [{ body: '"a text"', headers: { 'content-type': 'application/json' } }, { text: '"a text"' }],
    [{ body: new Uint8Array([0xc3, 0xa9]) }, { text: 'é' }],
    [{ latency: 1, body: 'slow' }, { text: 'slow' }],
    [{ drop: true }, { error: 'TypeError: the request failed' }],
    [{ body: 'x'.repeat(900_000) }, { status: 200 }],
  ] as const) {
    await egress.respond(api, answer, { times: 1 })
    t.match(await fetched(api), expected, JSON.stringify(answer).slice(0, 100))
  }
  await egress.respond(`${api}/a`, { status: 302, headers: { location: '/b' } })
  await egress.respond(`${api}/b`, { body: 'there' })
  t.match(await fetched(`${api}/a`), { status: 200, text: 'there' }, 'a redirect is followed')
  t.match(await fetched(`${api}/c`), { error: /neither an option nor a test/ }, 'no other URL of the origin')
})

t.test(
  'an answer matches by URL, method, body and kind; those with times come first, then the latest',
  async t => {
    const { dev, fetched, post } = await open(t)
    const { egress } = dev
    const answers = [
      [api, 'any'],
      [`${api}/v1/charges/*`, 'a charge'],
      [`${api}/v1/*/refunds`, 'refunds'],
      [`${api}/search?q=*`, 'a search'],
      [{ url: `${api}/v1/charges`, method: 'POST' }, 'posted'],
      [{ url: `${api}/v1/charges`, body: { source: { number } } }, 'declined'],
      [{ url: `${api}/v1/charges`, on: 'proxy' }, 'proxied'],
    ] as const
    for (const [target, body] of answers) await egress.respond(target, { body })
    const charge = (digits: string, more = {}) =>
      post(`${api}/v1/charges`, { source: { number: digits }, ...more })
    for (const [asked, expected] of [
      [fetched(`${api}/v2`), 'any'],
      [fetched(`${api}/v1/charges/ch_1`), 'a charge'],
      [fetched(`${api}/v1/charges/ch_1/refunds`), 'refunds'],
      [fetched(`${api}/v1/charges`), 'any'],
      [fetched(`${api}/search`), 'any'],
      [fetched(`${api}/search?q=a`), 'a search'],
      [charge('4111111111111111'), 'posted'],
      [charge(number, { amount: 1 }), 'declined'],
    ] as const)
      t.equal((await asked).text, expected)
    await egress.respond(api, { body: 'first' }, { times: 2 })
    await egress.respond(api, { body: 'second' }, { times: 1 })
    await egress.respond(api, { body: 'latest' })
    const texts = []
    for (let asked = 0; asked < 4; asked++) texts.push((await fetched(`${api}/v2`)).text)
    t.same(texts, ['first', 'first', 'second', 'latest'])
  },
)

t.test('a function answers in the process of the vault, and elsewhere is refused', async t => {
  const { vault, tenant, dev, post, fetched } = await open(t)
  const [, [, wire]] = await devsOf(vault, tenant)
  await t.rejects(
    wire.egress.respond(api, () => ({})),
    { name: 'TypeError', message: /give the answer as an object/ },
  )
  await dev.egress.respond(api, async ({ on, method, url, headers, body }) => ({
    status: body.amount > 1000 ? 402 : 201,
    body: { on, method, url, type: headers['content-type'] },
  }))
  const paid = await post(`${api}/v1`, { amount: 1 })
  t.equal(paid.status, 201)
  t.same(JSON.parse(paid.text), { on: 'formula', method: 'POST', url: `${api}/v1`, type: 'application/json' })
  t.equal((await post(`${api}/v1`, { amount: 1001 })).status, 402)
  await dev.egress.respond(api, () => {
    throw new RangeError('not today')
  })
  t.match(await fetched(api), { error: /respond threw RangeError: not today$/ })
  for (const answer of [undefined, 'text', { status: 99 }, { headers: { a: 1 } }]) {
    await dev.egress.respond(api, () => answer as never)
    t.match(await fetched(api), { error: /returned no answer/ })
  }
  const texts = (await dev.egress.requests.list()).map(({ error }) => error)
  t.match(texts.at(2), 'the function of the test failed', 'what it threw may contain data')
  t.notMatch(JSON.stringify(texts), /not today/)
})

t.test('an option lets the rest through, and warnings name what nothing answers', async t => {
  const receiver = await openReceiver(t)
  const { tenant, dev, react, fetched } = await open(t, { formulaMapOrigins: { [api]: receiver.origin } })
  t.equal((await fetched(`${api}/real`)).status, 200)
  await dev.egress.respond(`${api}/v1/*`, { status: 418 })
  t.equal((await fetched(`${api}/v1/a`)).status, 418)
  t.equal((await fetched(`${api}/real`)).status, 200)
  t.equal(receiver.received.length, 2)
  const warningOf = async (url: string) => (await react({ args: { url } })).headers.get('SVC-WARNING')
  t.equal(await warningOf(`${api}/real`), null, 'control')
  const text = 'neither an option (--formula-allow-origin) nor a test (dev.egress.respond) answers: '
  t.equal(await warningOf('https://other.example.com/a'), `${text}https://other.example.com`)
  t.equal(await warningOf(`https://h${number}.example.com/`), `${text}https://string(17).example.com`)
  const many = await reactorOn(
    tenant,
    `module.exports = async () => {
      for (let n = 0; n < 20; n++) await fetch('https://' + 'a'.repeat(60) + n + '.example.com').catch(() => {})
      return { raw: 1 }
    }`,
  )
  const warning = (await many()).headers.get('SVC-WARNING') ?? ''
  t.equal(warning.split(', ').length, 5, 'a header has a bound')
  const { tenant: quiet } = await openDev(t, { dev: false })
  const { fetched: production } = await openFetching(quiet)
  t.match(await production(api), {
    error: 'TypeError: fetch is not available: the operator allows no origin',
  })
})

t.test('an answer that is not used fails the test that asks', async t => {
  const { dev, fetched } = await open(t)
  const { egress, inbox } = dev
  await t.rejects(egress.assertUsed(), { name: 'AssertionError', message: /^no answer was ordered/ })
  await egress.respond({ url: `${api}/a`, body: { number } }, { status: 402 })
  await egress.respond(`${api}/b`, {}, { times: 2 })
  await egress.respond(`${api}/c`, { drop: true })
  await inbox.respond(503)
  await fetched(`${api}/b`)
  await fetched(`${api}/c`)
  const error = await failureOf(egress.assertUsed())
  t.equal(
    error.message,
    `these answers were not used:
  ${api}/a with this body → 402: never used
  ${api}/b → 200: used 1 of 2 times
  delivery https://inbox.surrogate.invalid/ → 503: used 0 of 1 times`,
  )
  t.match(error, { name: 'AssertionError', actual: 1, expected: 4 })
})

t.test('answers that could not be given are refused', async t => {
  const { dev } = await openDev(t)
  for (const [target, answer, message] of [
    ['api.example.com', {}, /url must begin with an origin, such as https/],
    ['https://*.example.com', {}, /url must begin with an origin/],
    ['https://a:b@example.com/', {}, /without a password/],
    ['file:///etc/passwd', {}, /url must begin with an origin/],
    [`${api}/#a`, {}, /url must begin with an origin/],
    [api, { status: 199 }, /status must be at least 200/],
    [api, { latency: 60_001 }, /latency must be at most 60000/],
    [api, { drop: true, status: 503 }, /answer.status cannot be combined with drop/],
    [api, { statsu: 503 }, /statsu is not a member of this object; did you mean status\?/],
    [api, { headers: { 'a b': 'c' } }, /answer.headers must have names and values that HTTP allows/],
    [api, { headers: { a: 'b\nc: d' } }, /answer.headers must have names/],
    [
      api,
      { headers: { a: 'a'.repeat(4000), b: 'b'.repeat(4000), c: 'c'.repeat(4000), d: 'd'.repeat(4000) } },
      /16,000 characters/,
    ],
    [api, { body_base64: 'a', body: 'b' }, /body_base64 cannot be combined with body/],
    [{ url: api, metod: 'GET' }, {}, /metod is not a member of this object; did you mean method\?/],
    [{ url: api, body: Array(1001).fill(1) }, {}, /body must have at most 1000 members/],
  ] as const)
    await t.rejects(
      dev.egress.respond(target as never, answer as object),
      { status: 400, message },
      JSON.stringify(target),
    )
  await t.rejects(dev.egress.respond(api, {}, { times: 1001 }), /times must be at most 1000/)
  t.same(await dev.egress.list(), [])
  await dev.egress.respond(api, {}, { times: 1000 })
  await t.rejects(dev.inbox.respond(200), /more than 1000 answers are ordered/)
  await dev.egress.clear()
  const large = { body: 'x'.repeat(990_000) }
  for (let added = 0; added < 10; added++) await dev.egress.respond(api, large)
  await t.rejects(dev.egress.respond(api, large), /longer than 10 MB/)
})
