import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { later } from '../../verify/support/later.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { withoutIds } from '../../verify/support/without-ids.ts'
import type { Invocation } from '../sandbox/sandbox.ts'
import { openProxy, target } from './_fixture.ts'

const to = (url: string, more: Record<string, string> = {}) => ({ 'SVC-PROXY-URL': url, ...more })

t.test('a target must be one that the operator allows', async t => {
  const { tenant, receiver } = await openProxy(t)
  const own = receiver.origin
  const refused = {
    'no target': '',
    'not a URL': 'api.example.com/a',
    'another scheme': 'file:///etc/passwd',
    'another origin': 'https://other.example.com/',
    'another port': `${target}:444/`,
    'another protocol': 'http://api.example.com/',
    'a suffix': 'https://api.example.com.evil.example/',
    'a user name': 'https://api.example.com@evil.example/',
    'a password': 'https://me:secret@api.example.com/',
    'the place behind a mapped origin': `${own}/`,
    'this machine': 'http://127.0.0.1:4000/_dev/reset',
    'an expression as host': 'https://{{ some-id }}/',
  }
  for (const [what, url] of Object.entries(refused)) {
    const { status, json, text } = await tenant.send('GET', '/proxy', undefined, to(url))
    t.match({ status, type: json.type }, { status: 400, type: 'urn:surrogate:error:validation' }, what)
    t.same(Object.keys(json.errors), ['proxy_url'], what)
    t.notMatch(withoutIds(text), /evil|secret|127\.0|4000/, what)
  }
  t.equal(receiver.received.length, 0)
  t.equal((await tenant.send('GET', '/proxy//evil.example/a', undefined, to(`${target}/v1`))).status, 200)
  t.match(receiver.received[0]?.path, /evil\.example\/a$/, 'a path cannot name another host')
})

t.test('a name that leads to a private address is refused, whatever it led to before', async t => {
  const addresses = ['93.184.215.14', '10.0.0.1']
  const asked: string[] = []
  const resolve = async (hostname: string) => {
    asked.push(hostname)
    return [{ address: addresses[1] ?? '', family: 4 }]
  }
  const vault = openVault(t, { dev: false, proxyAllowOrigins: [target] }, { proxy: { resolve } })
  const tenant = await openTenant(vault)
  const { status, json } = await tenant.send('GET', '/proxy', undefined, to(target))
  t.match({ status, type: json.type }, { status: 502, type: 'urn:surrogate:error:target_failed' })
  t.match(json.detail, /no public address/)
  t.notMatch(json.detail, /10\.0|example/)
  t.same(asked, ['api.example.com'], 'asked when it connects')
})

t.test('an application and a session have shares of the requests that wait for targets', async t => {
  for (const scope of ['application', 'session'] as const) {
    const admissionBounds = { proxied: { total: 9, [scope]: 1 } }
    const { tenant } = await openProxy(t, () => undefined, { admissionBounds, closeGraceMs: 10 })
    const permissions = ['token:use']
    const session = async () => {
      const { nonce, session_key } = (await tenant.asPublic('POST', '/sessions')).json
      await tenant.send('POST', '/sessions/authorize', { nonce, permissions })
      return session_key
    }
    const key = async () =>
      scope === 'session' ? session() : (await tenant.application({ permissions })).key
    const [own, other] = [await key(), await key()]
    const ask = (key: string) => tenant.as(key)('GET', '/proxy', undefined, to(target))
    void ask(own).catch(() => {})
    const { status, json } = await ask(own)
    t.match({ status, type: json.type }, { status: 429, type: 'urn:surrogate:error:rate_limited' }, scope)
    const control = await Promise.race([ask(other).then(({ status }) => status), wait(50, 'waits')])
    t.equal(control, 'waits', 'the control')
  }
})

t.test('headers of the caller, the connection and this server stay here', async t => {
  const { vault, tenant, receiver } = await openProxy(t)
  const { port } = await vault.listen()
  const socket = connect(port, '127.0.0.1')
  const headers = [
    `SVC-API-KEY: ${tenant.privateKey}`,
    `SVC-PROXY-URL: ${target}/a`,
    'svc-idempotency-key: k',
    'SVC-TRACE-ID: trace',
    'Connection: close, X-Hop',
    'X-Hop: 1',
    'Keep-Alive: timeout=5',
    'Proxy-Authorization: secret',
    'TE: trailers',
    'Upgrade: h2c',
    'Cookie: session=1',
    'Origin: https://app.example.com',
    'Referer: https://app.example.com/page',
    'Sec-Fetch-Mode: cors',
    'X-Forwarded-For: 1.2.3.4',
    'Authorization: Bearer of-the-target',
    'X-Own: kept',
    'Content-Type: text/plain',
    'Transfer-Encoding: chunked',
  ]
  socket.write(
    `POST /proxy HTTP/1.1\r\nHost: vault.example\r\n${headers.join('\r\n')}\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  )
  await receiver.arrived(1)
  socket.destroy()
  const [sent] = receiver.received
  t.equal(`${sent?.body}`, 'abc')
  t.same(Object.keys(sent?.headers ?? {}).sort(), [
    'accept-encoding',
    'authorization',
    'connection',
    'content-length',
    'content-type',
    'host',
    'x-own',
  ])
  t.match(sent?.headers, {
    host: receiver.origin.slice(7),
    authorization: 'Bearer of-the-target',
    'content-length': '3',
  })
  t.notMatch(JSON.stringify(sent), tenant.privateKey)
})

t.test('data cannot leave its place', async t => {
  const { tenant, receiver, token } = await openProxy(t)
  const lines = await token('a\r\nX-Evil: 1\r\n\r\nGET /evil HTTP/1.1')
  const path = await token('../../admin?x=1#y')
  const dots = await token('..')
  const emoji = await token('🗝')
  const ask = (url: string, more: Record<string, string> = {}) =>
    tenant.send('GET', '/proxy', undefined, to(url, more))

  for (const id of [lines, emoji]) {
    const { status, text, json } = await ask(target, { 'X-A': `{{ ${id} }}` })
    t.same({ status, errors: Object.keys(json.errors) }, { status: 400, errors: ['headers.x-a'] })
    t.notMatch(text, /Evil|🗝/)
  }
  for (const id of [dots, await token('.'), await token('')]) {
    const { status, json } = await ask(`${target}/users/{{ ${id} }}/cards`)
    t.same({ status, errors: Object.keys(json.errors) }, { status: 400, errors: ['path'] })
  }
  t.equal(receiver.received.length, 0)

  t.equal((await ask(`${target}/users/{{ ${path} }}/cards?a={{ ${path} }}&b=1`)).status, 200)
  const encoded = '..%2F..%2Fadmin%3Fx%3D1%23y'
  t.equal(receiver.received[0]?.path, `/users/${encoded}/cards?a=${encoded}&b=1`)
  t.equal((await ask(`${target}/{{ ${lines} }}`)).status, 200)
  t.match(receiver.received[1]?.path, /^\/a%0D%0AX-Evil/)
  t.equal((await ask(`${target}/{{ ${await token('x'.repeat(20_000))} }}`)).status, 400, 'a long URL')
  t.equal(
    (await ask(target, { 'X-A': `{{ ${await token('x'.repeat(20_000))} }}` })).status,
    400,
    'long headers',
  )
})

t.test('errors name what is wrong, and no data; nothing is sent', async t => {
  const { tenant, receiver, token } = await openProxy(t)
  const id = await token('canary-value')
  const ask = (body: unknown, url = target) => tenant.send('POST', '/proxy', body as object as never, to(url))
  const many = Array.from({ length: 101 }, (_, at) => `{{ token-${at} }}`)
  for (const [what, body, url] of [
    ['an unknown token', { a: `{{ ${id} }} {{ no-such }}` }],
    ['malformed braces', { a: '{{ b' }],
    ['a filter that fails', { a: `{{ ${id} | to_number }}` }],
    ['too many tokens', many],
    ['malformed braces in the target', {}, `${target}/{{ a`],
    ['half a document', { raw: '{"a": "{{ b }}"' }],
  ] as const) {
    const { status, text } = await ask(body, url)
    t.equal(status, 400, what)
    t.notMatch(text, 'canary', what)
  }
  const large = { raw: JSON.stringify({ a: 'x'.repeat(1_100_000) }) }
  t.equal((await ask(large)).status, 413)
  t.equal(receiver.received.length, 0)
  t.equal((await ask({ a: `{{ ${id} }}` })).status, 200)
})

t.test('headers that act on callers or proxies are not passed on, redirects not followed', async t => {
  const other = await openReceiver(t)
  const { tenant } = await openProxy(t, (_request, response) => {
    response.writeHead(307, {
      Location: `${other.origin}/stolen`,
      'Set-Cookie': 'a=1',
      'Strict-Transport-Security': 'max-age=1',
      'Access-Control-Allow-Origin': 'https://evil.example',
      'X-Accel-Redirect': '/etc/passwd',
      'SVC-TRACE-ID': 'forged',
      Connection: 'close, X-Hop',
      'X-Hop': '1',
      'X-Own': 'kept',
    })
    response.end('body')
    return undefined
  })
  const { status, headers, text } = await tenant.send('POST', '/proxy', { a: 1 }, to(target))
  t.same(
    { status, text, location: headers.get('location') },
    { status: 307, text: 'body', location: `${other.origin}/stolen` },
  )
  t.equal(other.received.length, 0)
  const names = [...headers.keys()].filter(name => name !== 'date').sort()
  t.same(names, ['cache-control', 'location', 'svc-trace-id', 'vary', 'x-content-type-options', 'x-own'])
  t.not(headers.get('svc-trace-id'), 'forged')
})

t.test('a redirect does not show where a mapped origin leads', async t => {
  const { tenant } = await openProxy(t, ({ headers }, response) => {
    response.writeHead(302, { Location: `http://${headers.host}/next?a=1` }).end()
    return undefined
  })
  const { headers } = await tenant.send('GET', '/proxy', undefined, to(target))
  t.equal(headers.get('location'), `${target}/next?a=1`)
})

t.test('a target that is closed, silent, endless or garbled ends in time', async t => {
  const limits = { timeoutMs: 1_000, responseBytes: 100_000 }
  const { tenant, receiver } = await openProxy(
    t,
    ({ path }, response) => {
      if (path === '/silent') return undefined
      if (path === '/garbled') response.socket?.end('HTTP/1.1 999999 x\r\n\r\n')
      else if (path === '/empty') response.writeHead(204).end()
      else {
        response.writeHead(200)
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(50_000)));
        }
        response.on('drain', more)
        more()
      }
      return undefined
    },
    { proxy: { limits } },
  )
  const ask = (path: string) => tenant.send('GET', '/proxy', undefined, to(`${target}${path}`))
  t.match(await ask('/silent'), { status: 502, json: { type: 'urn:surrogate:error:target_failed' } })
  t.equal((await ask('/garbled')).status, 502)
  t.equal((await ask('/empty')).status, 204)
  await t.rejects(ask('/endless'), 'the body is cut off')
  t.equal(receiver.received.length, 4)
  for (const dev of [false, true]) {
    const closed = openVault(t, { dev, proxyMapOrigins: { [target]: 'http://127.0.0.1:1' } })
    const { status, json } = await (await openTenant(closed)).send('GET', '/proxy', undefined, to(target))
    t.equal(status, 502)
    if (dev) t.match(json.detail, /: https:\/\/api\.example\.com: connect ECONNREFUSED 127\.0\.0\.1:1$/)
    else t.notMatch(json.detail, /127|ECONN|api/)
  }
})

t.test('a target is left alone when its caller is gone', async t => {
  const left: string[] = []
  let gone = later()
  const { vault, tenant, receiver } = await openProxy(t, ({ path }, response) => {
    response.on('close', () => {
      left.push(path)
      gone.keep()
    })
    if (path === '/head') response.writeHead(200).write('first')
    return undefined
  })
  const { port } = await vault.listen()
  for (const [before, path] of ['/head', '/silent'].entries()) {
    gone = later()
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `GET /proxy HTTP/1.1\r\nHost: a\r\nSVC-API-KEY: ${tenant.privateKey}\r\nSVC-PROXY-URL: ${target}${path}\r\n\r\n`,
    )
    await receiver.arrived(before + 1)
    if (path === '/head') await once(socket, 'data')
    t.equal(left.length, before, 'not before')
    socket.destroy()
    await gone.promise
  }
  t.same(left, ['/head', '/silent'])
})

t.test('requests under way are limited, for a tenant and together, and end with the vault', async t => {
  const admissionBounds = { proxied: { total: 3, tenant: 2 } }
  const parts = { admissionBounds, closeGraceMs: 10 }
  const { vault, tenant, receiver } = await openProxy(t, () => undefined, parts)
  const other = await openTenant(vault)
  const ask = (send: typeof tenant.send) => send('GET', '/proxy', undefined, to(target))
  const waiting = [ask(tenant.send), ask(tenant.send)]
  await receiver.arrived(2)
  const busy = await ask(tenant.send)
  t.match(
    { status: busy.status, retryAfter: busy.headers.get('retry-after') },
    { status: 429, retryAfter: '1' },
  )
  waiting.push(ask(other.send))
  await receiver.arrived(3)
  t.equal((await ask((await openTenant(vault)).send)).status, 429, 'together')
  await vault.close()
  for (const one of waiting) t.equal((await one).status, 502)
})

t.test('the client of a formula cannot use it', async t => {
  const paths = ['/proxy', '/tokens']
  const run = async ({ svc }: Invocation) => {
    const ask = async (path: string) => {
      const headers = { 'svc-proxy-url': target }
      return (await svc?.({ method: 'GET', path, headers }))?.status ?? 0
    }
    return { kind: 'answered', raw: await Promise.all(paths.map(ask)) } as const
  }
  const { tenant, receiver } = await openProxy(t, undefined, { sandbox: { run, close: async () => {} } })
  const { id } = await tenant.application({ permissions: ['token:use', 'token:read'] })
  const formula = { name: 'F', type: 'private', code: '-' }
  const made = (await tenant.asManagement('POST', '/reactor-formulas', formula)).json
  const body = { name: 'R', configuration: {}, formula: { id: made.id }, application: { id } }
  const reactor = (await tenant.asManagement('POST', '/reactors', body)).json.id
  t.same((await tenant.send('POST', `/reactors/${reactor}/react`, { args: {} })).json, { raw: [403, 200] })
  t.equal(receiver.received.length, 0)
})
