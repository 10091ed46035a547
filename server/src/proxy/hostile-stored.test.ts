import { connect } from 'node:net'
import t from 'tap'
import { newMasterKey } from '../../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../../verify/support/vault.ts'
import { withoutIds } from '../../verify/support/without-ids.ts'
import type { JsonObject } from '../base/json/json.ts'
import { openProxy, target } from './_fixture.ts'

type Opened = Awaited<ReturnType<typeof openProxy>>

/** Makes a proxy whose key is enough, and returns headers that name it. */
async function makeProxy({ tenant }: Pick<Opened, 'tenant'>, members: JsonObject = {}) {
  const body = { name: 'P', destination_url: `${target}/v1`, require_auth: false, ...members }
  const { status, text, json } = await tenant.asManagement('POST', '/proxies', body)
  if (status !== 201) throw new Error(text)
  return { id: json.id as string, key: json.key as string, named: { 'SVC-PROXY-KEY': json.key as string } }
}

const runs = (code: string) => ({ code: `module.exports = ({ args }) => { ${code} }` })

t.test('only the whole key of a proxy names it', async t => {
  const opened = await openProxy(t)
  const { tenant, receiver } = opened
  const { key } = await makeProxy(opened)
  const ask = (name: string, headers = {}) =>
    tenant.as(undefined)('GET', '/proxy', undefined, { 'SVC-PROXY-KEY': name, ...headers })
  const wrong = {
    'in upper case': key.toUpperCase(),
    'in lower case': key.toLowerCase(),
    'with the end of another one': key.slice(0, -4) + (key.endsWith('AAAA') ? 'BBBB' : 'AAAA'),
    'cut off': key.slice(0, -1),
    'as a private key': key.replace('prx', 'prv'),
    empty: '',
    'an API key': tenant.privateKey,
    'very long': 'key_prx_'.padEnd(8_000, 'a'),
  }
  for (const [what, name] of Object.entries(wrong)) {
    const { status, json, text } = await ask(name)
    t.match([status, json.type], [401, 'urn:surrogate:error:unauthenticated'], what)
    t.notMatch(text, key.slice(8, 20), what)
  }
  for (const path of ['/tokens', '/proxies', '/applications/key'])
    t.equal((await tenant.as(key)('GET', path)).status, 401, `is no API key for ${path}`)
  t.equal(receiver.received.length, 0)
  t.equal((await ask(key)).status, 200)
})

t.test('a caller cannot replace what the proxy says', async t => {
  const opened = await openProxy(t)
  const { tenant, receiver } = opened
  const { named } = await makeProxy(opened)
  for (const [name, value] of Object.entries({
    URL: `${target}/other`,
    'REQUEST-REACTOR': '5b493235-6917-4307-906a-2cd6f1a90b13',
    'RESPONSE-REACTOR': '5b493235-6917-4307-906a-2cd6f1a90b13',
  })) {
    const headers = { ...named, [`SVC-PROXY-${name}`]: value }
    const { status, json } = await tenant.send('GET', '/proxy', undefined, headers)
    t.same([status, Object.keys(json.errors)], [400, [`proxy_${name.toLowerCase().replace('-', '_')}`]], name)
  }
  t.equal(receiver.received.length, 0)
  await tenant.send('GET', '/proxy?key=mine', undefined, named)
  t.equal(receiver.received[0]?.path, '/v1?key=mine')
})

/** As a socket sends it: other clients would change it before. */
t.test('a path does not leave that of the destination', async t => {
  const opened = await openProxy(t)
  const { vault, receiver, token } = opened
  const { key } = await makeProxy(opened, { destination_url: `${target}/v1/` })
  const { port } = await vault.listen()
  const ask = (path: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket
        .on('data', chunk => {
          text += chunk
        })
        .on('close', () => resolve(text.slice(9, 12)))
        .on('error', reject)
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nSVC-PROXY-KEY: ${key}\r\nConnection: close\r\n\r\n`,
      )
    })
  for (const path of [
    '/proxy/..',
    '/proxy/../admin',
    '/proxy/a/../../admin',
    '/proxy/%2e%2e/admin',
    '/proxy/.%2E/admin',
    '/proxy/..%2fadmin',
    '/proxy/a%2F..%2F..%2Fadmin',
    '/proxy/..%5cadmin',
    '/proxy/..\\admin',
    '/proxy/a/..\\..\\..\\admin',
    '/proxy/%252e%252e/admin',
    '/proxy/..%252fadmin',
    '/proxy/..%25255Cadmin',
    '/proxy/..;/admin',
    '/proxy/..%3Ba=b/admin',
    '/proxy/..%00/admin',
  ])
    t.equal(await ask(path), '400', path)
  t.equal(await ask('/proxyadmin'), '404')
  t.equal(receiver.received.length, 0)
  for (const [path, expected] of [
    ['/proxy/a/../b', '/v1/b'],
    ['/proxy//evil.example/a', '/v1//evil.example/a'],
    ['/proxy/@evil.example/', '/v1/@evil.example/'],
    ['/proxy/https://evil.example/', '/v1/https://evil.example/'],
    ['/proxy/...', '/v1/...'],
    ['/proxy/%252e/...;a', '/v1/%252e/...;a'],
    ['/proxy/a?b=../..&c=%0d%0aX', '/v1/a?b=../..&c=%0d%0aX'],
    ['/proxy/a#b', '/v1/a'],
  ] as const) {
    t.equal(await ask(path), '200', path)
    t.equal(receiver.received.at(-1)?.path, expected, path)
    t.equal(receiver.received.at(-1)?.headers.host, receiver.origin.slice(7), path)
  }
  const id = await token('../../admin')
  const { tenant } = opened
  const { id: user } = await tenant.application({
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:use'] }],
  })
  const { named } = await makeProxy(opened, { application: { id: user } })
  const { status, json } = await tenant.send('GET', `/proxy/{{ ${id} }}`, undefined, named)
  t.same([status, Object.keys(json.errors)], [400, ['path']], 'nor by data')
})

t.test('a query gives no parameter of the destination another value', async t => {
  const opened = await openProxy(t)
  const { tenant, receiver, token } = opened
  const [same, other] = [await token('account'), await token('accounts')]
  const { named } = await makeProxy(opened, {
    destination_url: `${target}/v1?account=1&`,
    require_auth: true,
  })
  const ask = (query: string) => tenant.send('GET', `/proxy?${query}`, undefined, named)
  for (const query of ['account=2', 'a=1&%61ccount=2', '&account', `{{ ${same} }}=2`]) {
    const { status, json } = await ask(query)
    t.same([status, Object.keys(json.errors)], [400, ['query']], query)
  }
  t.equal(receiver.received.length, 0)
  t.equal((await ask(`{{ ${other} }}=2&Account=3`)).status, 200)
  t.equal(receiver.received[0]?.path, '/v1?account=1&&accounts=2&Account=3')
})

t.test('a redirect is passed on, and not followed', async t => {
  const opened = await openProxy(t, ({ headers }, response) => {
    response.writeHead(302, { Location: `http://${headers.host}/next` }).end()
    return undefined
  })
  for (const members of [{}, { response_transform: runs('return {}') }]) {
    const { named } = await makeProxy(opened, members)
    const { status, headers } = await opened.tenant.send('GET', '/proxy', undefined, named)
    t.same([status, headers.get('location')], [302, `${target}/next`])
  }
  t.equal(opened.receiver.received.length, 2)
})

t.test('who has no right to use tokens does not learn which exist', async t => {
  const opened = await openProxy(t)
  const { tenant, token } = opened
  const [id, missing] = [await token('a'), 'no-such-token']
  const of = async (rights: JsonObject) => ({ application: { id: (await tenant.application(rights)).id } })
  const rule = { priority: 1, container: '/other/', transform: 'reveal', permissions: ['token:use'] }
  const ask = async (members: JsonObject) => {
    const { named } = await makeProxy(opened, members)
    const asked = [id, missing].map(one =>
      tenant.as(undefined)('POST', '/proxy', { a: `{{ ${one} }}` }, named),
    )
    return (await Promise.all(asked)).map(({ status, json }) => [status, json.detail])
  }
  for (const members of [{}, await of({ permissions: ['token:read', 'token:create'] })]) {
    const [known, unknown] = await ask(members)
    t.same(known, [403, 'the caller does not hold token:use'])
    t.same(unknown, known)
  }
  t.same(
    (await ask(await of({ rules: [rule] }))).map(([status]) => status),
    [403, 400],
    'the control: with a right',
  )
})

t.test('a destination is checked again when it is used', async t => {
  const storage = `level:${t.testdir()}`
  const masterKey = newMasterKey()
  const before = openVault(t, { storage, masterKey, proxyAllowOrigins: [target] })
  const { named } = await makeProxy({ tenant: await openTenant(before) })
  await before.close()
  const resolved: string[] = []
  const resolve = async (hostname: string) => {
    resolved.push(hostname)
    return [{ address: '10.0.0.1', family: 4 }]
  }
  for (const [allowed, status, type] of [
    ['https://other.example.com', 400, 'validation'],
    [target, 502, 'target_failed'],
  ] as const) {
    const options = { storage, masterKey, proxyAllowOrigins: [allowed] }
    const vault = openVault(t, options, { proxy: { resolve } })
    const reply = await sender(vault, undefined)('GET', '/proxy', undefined, named)
    t.match([reply.status, reply.json.type], [status, `urn:surrogate:error:${type}`], allowed)
    t.notMatch(reply.text, /10\.0|example/)
    await vault.close()
  }
  t.same(resolved, ['api.example.com'], 'a private address is refused')
})

t.test('code that fails ends its request, and says no more than a formula does', async t => {
  const opened = await openProxy(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"canary":1}')
    return undefined
  })
  const { tenant, receiver } = opened
  const errors = `require('@surrogate/formula-errors')`
  const failing: Record<string, [number, { code: string }]> = {
    throws: [500, runs(`throw new Error('canary')`)],
    'does not compile': [422, { code: 'module.exports = (' }],
    'exports nothing': [422, { code: '1' }],
    refuses: [402, runs(`throw new (${errors}.InvalidPaymentMethodError)('no')`)],
    'returns a text': [500, runs(`return 'canary'`)],
    'returns headers that are no texts': [500, runs('return { headers: { a: 1 } }')],
    'returns a header with a line break': [500, runs(`return { headers: { a: 'b\\r\\nX-Evil: 1' } }`)],
    'returns an odd name': [500, runs(`return { headers: { 'a b': 'c' } }`)],
    'returns long headers': [500, runs(`return { headers: { a: 'x'.repeat(20_000) } }`)],
    'returns 6 MB': [500, runs(`return { body: 'x'.repeat(6e6) }`)],
    'returns what is not JSON': [500, runs('const a = {}; a.a = a; return { body: a }')],
    'asks for the network': [500, { code: `module.exports = () => fetch('http://127.0.0.1/')` }],
  }
  for (const [what, [expected, code]] of Object.entries(failing)) {
    for (const side of ['request_transform', 'response_transform']) {
      const before = receiver.received.length
      const { named } = await makeProxy(opened, { [side]: code })
      const { status, json } = await tenant.send('POST', '/proxy', { canary: 1 }, named)
      t.equal(status, expected, `${side} ${what}`)
      // Under `--dev` an explanation has the words of the code.
      t.notMatch(withoutIds(JSON.stringify({ ...json, explanation: undefined })), /canary|Evil/, what)
      t.equal(receiver.received.length - before, side === 'request_transform' ? 0 : 1, `${side} ${what}`)
    }
  }
})

t.test('code that loops ends in time', async t => {
  const opened = await openProxy(t)
  const { named } = await makeProxy(opened, { request_transform: runs('for (;;);') })
  const { status, json } = await opened.tenant.send('GET', '/proxy', undefined, named)
  t.match([status, json.type], [500, 'urn:surrogate:error:reactor_runtime'])
  t.equal(opened.receiver.received.length, 0)
})

t.test('headers that others act upon cannot be set by code', async t => {
  const opened = await openProxy(t)
  const forbidden = [
    ...['Set-Cookie', 'Access-Control-Allow-Origin', 'X-Accel-Redirect', 'Strict-Transport-Security'],
    ...['Content-Length', 'Transfer-Encoding', 'Connection', 'SVC-TRACE-ID', 'Cache-Control'],
  ]
  const headers = Object.fromEntries([...forbidden, 'X-Own'].map(name => [name, '1']))
  const code = runs(`return { headers: ${JSON.stringify(headers)}, body: 'body' }`)
  const { named } = await makeProxy(opened, { request_transform: code, response_transform: code })
  const reply = await opened.tenant.send('POST', '/proxy', { a: 1 }, named)
  t.same([reply.status, reply.text], [200, 'body'])
  const names = [...reply.headers.keys()].filter(name => name !== 'date').sort()
  t.same(names, ['cache-control', 'svc-trace-id', 'vary', 'x-content-type-options', 'x-own'])
  t.not(reply.headers.get('svc-trace-id'), '1')
  t.equal(reply.headers.get('cache-control'), 'no-store')
  const [sent] = opened.receiver.received
  t.match(sent?.headers, { 'x-own': '1', 'content-length': '4' })
  t.notMatch(Object.keys(sent?.headers ?? {}).join(), /svc-|transfer-encoding/)
})

t.test('a long response passes without code only, and no target changes the protocol', async t => {
  const opened = await openProxy(t, ({ path }, response) => {
    if (path.endsWith('/101'))
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n')
    else response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(10 * 1024 * 1024))
    return undefined
  })
  const { tenant } = opened
  const plain = await makeProxy(opened)
  const whole = await tenant.send('GET', '/proxy', undefined, plain.named)
  t.same([whole.status, whole.text.length], [200, 10 * 1024 * 1024])
  const { named } = await makeProxy(opened, { response_transform: runs('return {}') })
  t.match(await tenant.send('GET', '/proxy', undefined, named), {
    status: 502,
    json: { type: 'urn:surrogate:error:target_failed' },
  })
  for (const one of [plain.named, named])
    t.equal((await tenant.send('GET', '/proxy/101', undefined, one)).status, 502)
})

t.test('requests through proxies share the bounds of all proxied requests', async t => {
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const admissionBounds = { proxied: { total: 9, tenant: 1 } }
  const opened = await openProxy(t, () => released.then(() => 200), { admissionBounds })
  const { vault, tenant, receiver } = opened
  const ask = async ({ tenant }: Pick<Opened, 'tenant'>) =>
    tenant.as(undefined)('GET', '/proxy', undefined, (await makeProxy({ tenant })).named)
  const waiting = ask(opened)
  await receiver.arrived(1)
  const { status, headers } = await ask(opened)
  t.same([status, headers.get('retry-after')], [429, '1'])
  const control = ask({ tenant: await openTenant(vault) })
  await receiver.arrived(2)
  release()
  for (const one of [waiting, control]) t.equal((await one).status, 200)
  t.equal((await ask({ tenant })).status, 200, 'its share is free again')
})
