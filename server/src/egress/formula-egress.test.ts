import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { Admission } from '../base/flow/admission.ts'
import {
  createFormulaEgress,
  type EgressRequest,
  type FormulaEgress,
  type FormulaEgressOptions,
} from './formula-egress.ts'
import type { Resolve } from './resolve.ts'

const failure = (sent: Promise<unknown>) =>
  sent.then(
    () => 'no failure',
    ({ name, reason, message }) => (name === 'EgressError' ? `${reason}: ${message}` : message),
  )

/** The requests of one invocation, which ends with its signal. */
function invocation(egress: FormulaEgress, over = new AbortController()) {
  return (request: Partial<EgressRequest> & Pick<EgressRequest, 'url'>) =>
    egress({ method: 'GET', headers: {}, by: { tenant: 't' }, signal: over.signal, ...request })
}
const opened = (origins: string[], options: Partial<FormulaEgressOptions> = {}) =>
  invocation(createFormulaEgress({ origins, ...options }))
const unused: Resolve = async () => {
  throw new Error('nothing should be resolved')
}

t.test('an allowed origin is fetched', async t => {
  const receiver = await openReceiver(t, (_, response) => {
    response.writeHead(201, { 'X-Answer': 'a', 'Set-Cookie': ['b=1', 'c=2'] }).end('hello')
    return undefined
  })
  const fetch = opened([receiver.origin])
  const response = await fetch({
    url: `${receiver.origin}/path?q=1`,
    method: 'PUT',
    headers: { 'Content-Type': 'text/plain', 'X-Own': 'yes', Authorization: 'Bearer z' },
    body: Buffer.from('body'),
  })
  t.match(response, { status: 201, redirected: false, url: `${receiver.origin}/path?q=1` })
  t.match(response.headers, { 'x-answer': 'a', 'set-cookie': 'b=1, c=2' })
  t.equal(Buffer.from(response.body).toString(), 'hello')
  t.match(receiver.received, [{ method: 'PUT', path: '/path?q=1', body: Buffer.from('body') }])
  t.match(receiver.received[0]?.headers, { 'x-own': 'yes', authorization: 'Bearer z' })
})

t.test('by default no origin is allowed, else exactly the listed ones', async t => {
  const receiver = await openReceiver(t)
  const { origin, port } = receiver
  const refused = 'policy: this origin is not allowed'
  t.equal(await failure(invocation(createFormulaEgress())({ url: origin })), refused)
  const fetch = opened([origin, 'https://api.example.org'], { resolve: unused })
  for (const url of [
    `https://127.0.0.1:${port}/`,
    `http://127.0.0.1:${port + 1}/`,
    `http://127.0.0.2:${port}/`,
    `http://localhost:${port}/`,
    'http://api.example.org/',
    'https://api.example.org:444/',
    'https://evil.api.example.org/',
    'https://api.example.org.evil.test/',
    'file:///etc/passwd',
    'data:text/plain,x',
  ]) {
    t.equal(await failure(fetch({ url })), refused, url)
  }
  t.match(await failure(fetch({ url: `http://user@127.0.0.1:${port}/` })), /policy: .*user name/)
  t.match(await failure(fetch({ url: '/relative' })), /request: the URL is not absolute/)
  t.equal(receiver.received.length, 0)
  t.equal((await fetch({ url: `${origin}/any/path` })).status, 200, 'control')
})

t.test('a pattern allows subdomains, whose names must resolve to public addresses', async t => {
  const asked: string[] = []
  const resolve: Resolve = async host => {
    asked.push(host)
    return [{ address: '10.0.0.1', family: 4 }]
  }
  const fetch = opened(['https://*.example.org'], { resolve })
  for (const url of ['https://example.org/', 'http://a.example.org/', 'https://a.example.org:444/'])
    t.equal(await failure(fetch({ url })), 'policy: this origin is not allowed', url)
  t.equal(await failure(fetch({ url: 'https://a.b.example.org/' })), 'network: network error')
  t.same(asked, ['a.b.example.org'])
  const receiver = await openReceiver(t)
  const mapped = { 'https://*.example.org': 'http://127.0.0.1:1', 'https://api.example.org': receiver.origin }
  const sent = invocation(createFormulaEgress({ mapped }))
  t.equal((await sent({ url: 'https://api.example.org/x' })).status, 200, 'the origin itself counts more')
  const all = invocation(createFormulaEgress({ mapped: { 'https://*.example.org': receiver.origin } }))
  t.equal((await all({ url: 'https://b.example.org/y' })).status, 200)
  t.same(
    receiver.received.map(({ path }) => path),
    ['/x', '/y'],
  )
})

t.test('an allowed name must resolve to a public address', async t => {
  const receiver = await openReceiver(t)
  const origin = `http://api.test:${receiver.port}`
  const asked: string[] = []
  const resolve: Resolve = async hostname => {
    asked.push(hostname)
    return [{ address: '127.0.0.1', family: 4 }]
  }
  t.equal(await failure(opened([origin], { resolve })({ url: origin })), 'network: network error')
  t.same(asked, ['api.test'])
  t.equal(receiver.received.length, 0)
})

t.test('formulas cannot set headers of connections and proxies', async t => {
  const receiver = await openReceiver(t)
  await opened([receiver.origin])({
    url: receiver.origin,
    headers: {
      HOST: 'evil.test',
      Connection: 'keep-alive',
      'Transfer-Encoding': 'chunked',
      'Content-Length': '99',
      'X-Forwarded-For': '10.0.0.1',
      Forwarded: 'for=10.0.0.1',
      'Proxy-Authorization': 'x',
      'X-Kept': 'kept',
    },
  })
  const { headers = {} } = receiver.received[0] ?? {}
  t.match(headers, { host: `127.0.0.1:${receiver.port}`, connection: 'close', 'x-kept': 'kept' })
  t.same(
    Object.keys(headers).sort(),
    ['accept-encoding', 'connection', 'host', 'x-kept'],
    'and nothing else goes along',
  )
})

t.test('requests that are not valid HTTP are refused before anything is sent', async t => {
  const receiver = await openReceiver(t)
  const fetch = opened([receiver.origin])
  const wrong: Partial<EgressRequest>[] = [
    { headers: { 'X-A': 'a\r\nX-B: b' } },
    { headers: { 'X A': 'a' } },
    { headers: { 'X-A': '\u0100' } },
    { method: 'CONNECT' },
    { method: 'GET /x HTTP/1.1\r\n' },
    { method: 'TRACE' },
  ]
  for (const one of wrong) {
    t.match(await failure(fetch({ url: receiver.origin, ...one })), /^request: /, JSON.stringify(one))
  }
  t.equal(receiver.received.length, 0)
})

t.test('three redirects are followed, each checked, and without credentials to other origins', async t => {
  const other = await openReceiver(t)
  const outside = await openReceiver(t)
  const first = await openReceiver(t, ({ path }, response) => {
    const left = Number(/^\/again\/(\d)/.exec(path)?.[1] ?? 0)
    const targets: Record<string, string> = {
      '/there': `${other.origin}/b`,
      '/out': outside.origin,
      '/user': `http://u:p@127.0.0.1:${other.port}/`,
      '/broken': 'http://[',
    }
    const location = left > 0 ? `/again/${left - 1}` : targets[path]
    if (location !== undefined) response.writeHead(307, { Location: location }).end()
    return location === undefined ? 200 : undefined
  })
  const fetch = opened([first.origin, other.origin])
  const headers = {
    ...{ Authorization: 'a', Cookie: 'c', 'X-Api-Key': 'k', 'X-Own': 'o' },
    ...{ Accept: 'text/plain', 'Content-Type': 'text/plain', 'User-Agent': 'u' },
  }

  t.match(await fetch({ url: `${first.origin}/again/3` }), { status: 200, redirected: true })
  t.equal(await failure(fetch({ url: `${first.origin}/again/4` })), 'limit: too many redirects')
  await fetch({ url: `${first.origin}/again/1`, headers })
  t.match(
    first.received.at(-1)?.headers,
    { authorization: 'a', cookie: 'c', 'x-api-key': 'k', 'x-own': 'o' },
    'control: the same origin gets them',
  )

  const answer = await fetch({
    url: `${first.origin}/there`,
    headers,
    method: 'POST',
    body: Buffer.from('b'),
  })
  t.equal(answer.url, `${other.origin}/b`)
  t.match(other.received, [{ method: 'POST', body: Buffer.from('b'), headers: { accept: 'text/plain' } }])
  t.same(
    Object.keys(other.received[0]?.headers ?? {}).sort(),
    ['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'host', 'user-agent'],
    'any other header may be a credential',
  )

  t.equal(await failure(fetch({ url: `${first.origin}/out` })), 'policy: this origin is not allowed')
  t.match(await failure(fetch({ url: `${first.origin}/user` })), /policy: .*user name/)
  t.equal(await failure(fetch({ url: `${first.origin}/broken` })), 'network: network error')
  t.equal(outside.received.length, 0)

  const manual = await fetch({ url: `${first.origin}/out`, redirect: 'manual' })
  t.match(manual, { status: 307, headers: { location: outside.origin } })
  t.match(await failure(fetch({ url: `${first.origin}/there`, redirect: 'error' })), /policy: .*redirect/)
})

t.test('the same redirects become a GET as in browsers', async t => {
  const receiver = await openReceiver(t, ({ path }, response) => {
    const status = Number(path.slice(1))
    if (status > 0) response.writeHead(status, { Location: '/' }).end()
    return status > 0 ? undefined : 200
  })
  const fetch = opened([receiver.origin])
  for (const [status, method, becomes] of [
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [301, 'PUT', 'PUT'],
    [307, 'POST', 'POST'],
    [308, 'DELETE', 'DELETE'],
  ] as const) {
    const headers = { 'Content-Type': 'text/plain' }
    const body = method === 'HEAD' ? {} : { body: Buffer.from('b') }
    await fetch({ url: `${receiver.origin}/${status}`, method, headers, ...body })
    const last = receiver.received.at(-1)
    t.equal(last?.method, becomes, `${method} ${status}`)
    t.equal(last?.headers['content-type'], becomes === 'GET' ? undefined : 'text/plain')
  }
})

t.test('responses are decompressed, and counted during decompression', async t => {
  const limits = { responseBytes: 10_000 }
  const bombs: Record<string, Buffer> = {
    '/gzip': gzipSync(Buffer.alloc(10_000_000)),
    '/br': brotliCompressSync(Buffer.alloc(10_000_000)),
    '/deflate': deflateSync(Buffer.alloc(10_000_000)),
  }
  const receiver = await openReceiver(t, ({ path, headers }, response) => {
    const coding = path.slice(1)
    const content = Buffer.alloc(10_000, 'a')
    const packed: Record<string, Buffer> = {
      gzip: gzipSync(content),
      br: brotliCompressSync(content),
      deflate: deflateSync(content),
    }
    const bomb = headers['x-bomb'] ? bombs[path] : undefined
    if (coding === 'nothing') response.writeHead(204, { 'Content-Encoding': 'gzip' }).end()
    else if (coding === 'plain') response.end(Buffer.alloc(headers['x-bomb'] ? 10_001 : 10_000, 'a'))
    else response.writeHead(200, { 'Content-Encoding': coding }).end(bomb ?? packed[coding] ?? 'x')
    return undefined
  })
  const fetch = opened([receiver.origin], { limits })
  for (const coding of ['plain', 'gzip', 'br', 'deflate']) {
    const url = `${receiver.origin}/${coding}`
    const { body, headers } = await fetch({ url })
    t.equal(Buffer.from(body).toString(), 'a'.repeat(10_000), coding)
    t.notOk(headers['content-encoding'])
    t.match(await failure(fetch({ url, headers: { 'X-Bomb': '1' } })), /^size: .*10000 bytes/, coding)
  }
  t.match(await fetch({ url: `${receiver.origin}/nothing` }), { status: 204, body: { length: 0 } })
  t.equal(await failure(fetch({ url: `${receiver.origin}/zstd` })), 'network: network error')
  t.equal(await failure(fetch({ url: `${receiver.origin}/gzip,%20gzip` })), 'network: network error')
})

t.test('a request has at most a megabyte', async t => {
  const receiver = await openReceiver(t)
  const fetch = opened([receiver.origin])
  const ask = (length: number) => fetch({ url: receiver.origin, method: 'POST', body: Buffer.alloc(length) })
  t.equal((await ask(1024 * 1024)).status, 200)
  t.match(await failure(ask(1024 * 1024 + 1)), /^size: the request/)
})

t.test('the requests of an invocation are limited, at once and in total', async t => {
  const waiting: (() => void)[] = []
  const receiver = await openReceiver(t, () => new Promise(go => waiting.push(() => go(200))))
  const egress = createFormulaEgress({ origins: [receiver.origin] })
  const fetch = invocation(egress)
  const sent = Array.from({ length: 20 }, () => fetch({ url: receiver.origin }))
  t.equal(await failure(fetch({ url: receiver.origin })), 'limit: too many requests')
  await receiver.arrived(20)
  const another = invocation(egress)({ url: receiver.origin })
  await receiver.arrived(21)
  for (const go of waiting) go()
  t.equal((await another).status, 200, 'another invocation is counted separately')
  await Promise.all(sent)

  const quick = await openReceiver(t)
  const few = opened([quick.origin], { limits: { requests: 3 } })
  for (const _ of [1, 2, 3]) t.equal((await few({ url: quick.origin })).status, 200)
  t.equal(await failure(few({ url: quick.origin })), 'limit: too many requests')
})

t.test('the requests of all invocations of a tenant are limited, and of all tenants', async t => {
  const silent = await openReceiver(t, () => undefined)
  const admission = new Admission({ total: 2, tenant: 1 })
  const egress = createFormulaEgress({ origins: [silent.origin], admission, limits: { timeoutMs: 200 } })
  const ask = (tenant: string) => failure(invocation(egress)({ url: silent.origin, by: { tenant } }))
  const waiting = [ask('a')]
  t.equal(await ask('a'), 'limit: too many requests')
  waiting.push(ask('b'))
  t.equal(await ask('c'), 'limit: too many requests')
  t.same(await Promise.all(waiting), Array(2).fill('network: network error'), 'control: these were sent')
  t.equal(silent.received.length, 2)
})

t.test('requests to a mapped origin reach the other one, which a formula does not notice', async t => {
  const receiver = await openReceiver(t, ({ path }, response) => {
    const location = {
      '/relative': '/end?q=1',
      '/absolute': `${receiver.origin}/end`,
      '/known': `${known}/end`,
    }[path]
    if (location === undefined) response.writeHead(200).end('here')
    else response.writeHead(302, { location }).end()
    return undefined
  })
  const known = 'https://api.example.com'
  const named = `http://localhost:${receiver.port}`
  for (const target of [receiver.origin, named]) {
    const fetch = invocation(createFormulaEgress({ mapped: { [known]: target } }))
    const response = await fetch({ url: `${known}/a?b=c`, headers: { Authorization: 'Bearer z' } })
    t.match(response, { status: 200, url: `${known}/a?b=c`, redirected: false })
    t.match(receiver.received.at(-1), { path: '/a?b=c', headers: { authorization: 'Bearer z' } })
  }
  const fetch = invocation(createFormulaEgress({ mapped: { [known]: receiver.origin } }))
  t.match(await fetch({ url: `${known}/relative` }), { url: `${known}/end?q=1`, redirected: true })
  t.match(await fetch({ url: `${known}/absolute` }), { url: `${known}/end`, redirected: true })
  t.match(await fetch({ url: `${known}/known` }), { url: `${known}/end`, redirected: true })
  const refused = 'policy: this origin is not allowed'
  t.equal(await failure(fetch({ url: `${receiver.origin}/a` })), refused, 'the other one itself')
  t.equal(await failure(fetch({ url: 'https://api.example.com:444/a' })), refused)
})

/** Tests the option end to end, with the `fetch` of a formula. */
const code = `module.exports = async ({ args }) => {
  try {
    const response = await fetch(args.url, { method: 'POST', body: 'from the formula', headers: { 'X-Own': 'yes' } })
    return { raw: { status: response.status, text: await response.text() } }
  } catch (error) { return { raw: { failed: error.message } } }
}`

t.test('a formula can fetch from allowed origins only', async t => {
  const answer = (text: string) => openReceiver(t, (_, response) => void response.end(text))
  const [allowed, other] = [await answer('hello'), await answer('secret')]
  const vault = openVault(t, { formulaAllowOrigins: [allowed.origin] })
  const tenant = await openTenant(vault)
  const react = await reactorOn(tenant, code)
  t.same((await react({ args: { url: allowed.origin } })).json, { raw: { status: 200, text: 'hello' } })
  t.match(allowed.received, [
    { method: 'POST', body: Buffer.from('from the formula'), headers: { 'x-own': 'yes' } },
  ])
  for (const url of [other.origin, 'http://localhost:1/', 'file:///etc/passwd']) {
    t.match((await react({ args: { url } })).json, { raw: { failed: String } }, url)
  }
  t.equal(other.received.length, 0)
})
