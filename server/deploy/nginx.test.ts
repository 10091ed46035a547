// Only in CI: it starts nginx.
// In a process of its own: it starts nginx and servers.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import t, { type Test } from 'tap'
import { filesUnder } from '../verify/support/files.ts'
import { freePort } from '../verify/support/free-port.ts'
import { openTestStore } from '../verify/support/storage.ts'
import { newMasterKey, replacing } from '../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../verify/support/vault.ts'

/** The configuration beside this file, with the hostile peers that it is for. */
const configuration = readFileSync(new URL('nginx.conf', import.meta.url), 'utf8')

function findNginx(): string | undefined {
  try {
    return execFileSync('sh', ['-c', 'command -v nginx || ls /usr/sbin/nginx'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}
const nginx = findNginx()
const withNginx = nginx === undefined ? { skip: 'there is no nginx here; CI installs it' } : {}

/** Starts nginx before these servers. Times are shortened, so that a test need not wait for them. */
async function startNginx(
  t: Test,
  ports: readonly number[],
  more: readonly (readonly [string, string])[] = [],
) {
  const folder = mkdtempSync(join(tmpdir(), 'surrogate-nginx-'))
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost'],
      ...['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')],
    ],
    { stdio: 'ignore' },
  )
  const port = await freePort()
  const changes: readonly (readonly [string, string])[] = [
    ['server 127.0.0.1:4000 ', ports.map(one => `server 127.0.0.1:${one} `).join('fail_timeout=1s;\n')],
    ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
    ['/etc/nginx/vault.example.com.crt', join(folder, 'cert.pem')],
    ['/etc/nginx/vault.example.com.key', join(folder, 'key.pem')],
    ['/var/log/nginx/surrogate.log', join(folder, 'access.log')],
    ...more,
  ]
  let text = configuration
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`the configuration lacks: ${from}`)
    text = text.replace(from, to)
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${join(folder, name)};`)
    .join('\n')
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, text.replace('http {', `http {\n${temporary}`))
  const args = ['-c', file, '-e', join(folder, 'error.log'), '-g', `daemon off; pid ${join(folder, 'pid')};`]
  const child = spawn(nginx ?? 'nginx', args, { stdio: 'inherit' })
  t.teardown(async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  })
  const open = () => connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  for (;;) {
    const socket = open()
    const [event] = await Promise.race([
      once(socket, 'secureConnect').then(() => ['there']),
      once(socket, 'error').then(() => ['not yet']),
    ]).catch(() => ['not yet'])
    socket.destroy()
    if (event === 'there') break
    if (child.exitCode !== null) throw new Error('nginx ended')
  }
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 16 })
  t.teardown(() => agent.destroy())
  const send = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', agent, method, path, headers }, async response => {
        let text = ''
        for await (const piece of response) text += piece
        resolve({ status: response.statusCode ?? 0, text })
      })
      sent.once('error', reject)
      sent.end(body)
    })
  /** Bytes that nginx has written to temporary files. */
  const written = () => ['client_body', 'proxy'].flatMap(name => filesUnder(join(folder, name)))
  return { send, open, written, accessLog: () => readFileSync(join(folder, 'access.log'), 'utf8') }
}

async function behindNginx(t: Test, more: readonly (readonly [string, string])[] = []) {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const listening = await vault.listen()
  const proxy = await startNginx(t, [listening.port], more)
  const headers = { 'SVC-API-KEY': tenant.privateKey, 'Content-Type': 'application/json' }
  return { ...proxy, vault, tenant, listening, headers }
}

t.test('requests reach the server over TLS, and probes do not', withNginx, async t => {
  const { send, headers, accessLog } = await behindNginx(t)
  const body = JSON.stringify({ type: 'token', data: '4242424242424242' })
  t.equal((await send('POST', '/tokens', headers, body)).status, 201)
  t.equal((await send('POST', '/tokens', { ...headers, 'SVC-IDEMPOTENCY-KEY': 'a' }, body)).status, 201)
  t.equal((await send('GET', '/tokens?metadata.k=4242', headers)).status, 200)
  for (const path of ['/livez', '/readyz', '/healthz/']) t.equal((await send('GET', path, {})).status, 404)
  t.notMatch(accessLog(), /4242/, 'the log has no query and no body')
})

t.test('large bodies and responses are never written to a file', withNginx, async t => {
  const { send, headers, written } = await behindNginx(t)
  const data = 'x'.repeat(900_000)
  const made = await send('POST', '/tokens', headers, JSON.stringify({ type: 'token', data }))
  t.equal(made.status, 201)
  const { id } = JSON.parse(made.text)
  t.ok((await send('GET', `/tokens/${id}`, headers)).text.length > data.length)
  t.same(written(), [])
  t.equal((await send('POST', '/tokens', headers, 'x'.repeat(6 * 2 ** 20))).status, 413)
})

t.test('a head and a body that come byte by byte never reach the server', withNginx, async t => {
  const { open, listening, tenant } = await behindNginx(t, [
    ['client_header_timeout 10s', 'client_header_timeout 1s'],
    ['client_body_timeout 10s', 'client_body_timeout 1s'],
  ])
  const head = [
    'POST /tokens HTTP/1.1',
    'Host: a',
    `SVC-API-KEY: ${tenant.privateKey}`,
    'Content-Type: application/json',
  ]
  for (const sent of [head.slice(0, 2).join('\r\n'), [...head, 'Content-Length: 9', '', '1'].join('\r\n')]) {
    const socket = open()
    socket.on('error', () => {})
    socket.resume()
    socket.write(sent)
    // nginx resets it.
    await new Promise(resolve => socket.once('close', resolve))
    t.equal(listening.connections(), 0)
  }
})

t.test('a peer that reads nothing costs the server nothing', withNginx, async t => {
  const { open, send, headers, vault, tenant } = await behindNginx(t)
  const made = await send(
    'POST',
    '/tokens',
    headers,
    JSON.stringify({ type: 'token', data: 'x'.repeat(900_000) }),
  )
  const { id } = JSON.parse(made.text)
  for (let peer = 0; peer < 20; peer++) {
    const socket = open()
    socket.on('error', () => {})
    socket.pause()
    t.teardown(() => socket.destroy())
    socket.write(`GET /tokens/${id} HTTP/1.1\r\nHost: a\r\nSVC-API-KEY: ${tenant.privateKey}\r\n\r\n`)
  }
  await vault.settled()
  t.equal((await send('GET', `/tokens/${id}`, headers)).status, 200)
})

t.test('an address has a limit of connections and a rate', withNginx, async t => {
  const { open, send, headers } = await behindNginx(t, [
    ['limit_conn connections 100', 'limit_conn connections 20'],
    ['burst=400', 'burst=60'],
  ])
  const statuses = await Promise.all(Array.from({ length: 300 }, () => send('GET', '/tokens', headers)))
  t.ok(statuses.some(({ status }) => status === 200))
  t.ok(statuses.some(({ status }) => status === 429))
  for (let peer = 0; peer < 30; peer++) {
    const socket = open()
    socket.on('error', () => {})
    t.teardown(() => socket.destroy())
    await once(socket, 'secureConnect')
    socket.write('POST /tokens HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n')
    // nginx counts it now: it waits for the body, or has refused it.
    await once(socket, 'data')
  }
  t.equal((await send('GET', '/tokens', headers)).status, 429, 'too many requests in progress')
})

t.test('a rolling restart of two servers cuts no request off, and does none twice', withNginx, async t => {
  const store = await openTestStore(t)
  const shared = { masterKey: newMasterKey(), dev: false }
  const start = async (port = 0) => {
    const vault = openVault(t, shared, { openStore: async () => replacing(store, { close: async () => {} }) })
    return { vault, listening: await vault.listen({ port }) }
  }
  type Server = Awaited<ReturnType<typeof start>>
  const servers: [Server, Server] = [await start(), await start()]
  const tenant = await openTenant(servers[0].vault)
  const proxy = await startNginx(
    t,
    servers.map(({ listening }) => listening.port),
    [
      ['rate=200r/s', 'rate=10000r/s'],
      ['burst=400', 'burst=10000'],
    ],
  )
  const headers = { 'SVC-API-KEY': tenant.privateKey, 'Content-Type': 'application/json' }
  const statuses: Record<string, number> = {}
  const failures: unknown[] = []
  let [sent, isOver] = [0, false]
  const send = async () => {
    const number = sent++
    const body = JSON.stringify({ type: 'token', data: number })
    const once = number % 4 === 1 ? { 'SVC-IDEMPOTENCY-KEY': `request-${number}` } : {}
    const [method, path] = number % 2 === 0 ? ['GET', '/permissions'] : ['POST', '/tokens']
    try {
      const { status } = await proxy.send(
        method ?? '',
        path ?? '',
        { ...headers, ...once },
        number % 2 === 0 ? undefined : body,
      )
      statuses[`${method} ${status}`] = (statuses[`${method} ${status}`] ?? 0) + 1
    } catch (error) {
      failures.push(error)
    }
  }
  const client = async () => {
    while (sent < 20_000 || !isOver) await send()
  }
  const clients = Promise.all(Array.from({ length: 16 }, client))
  const more = async (count: number) => {
    for (const from = sent; sent < from + count; ) await new Promise(setImmediate)
  }
  // Twice each, while the other one works.
  for (let restart = 0; restart < 4; restart++) {
    await more(1000)
    const { vault, listening } = servers[(restart % 2) as 0 | 1]
    vault.drain()
    await more(1000)
    await vault.close()
    await more(1000)
    servers[(restart % 2) as 0 | 1] = await start(listening.port)
    // nginx sends it requests again.
    while (servers[(restart % 2) as 0 | 1].listening.connections() === 0) await more(16)
  }
  isOver = true
  await clients
  t.same(failures, [])
  const made = Math.floor(sent / 2)
  t.same(statuses, { 'GET 200': sent - made, 'POST 201': made })
  const { json } = await sender(servers[0].vault, tenant.privateKey)('GET', '/tokens?size=1')
  t.equal(json.pagination.total_items, made, 'each token was made once')
})
