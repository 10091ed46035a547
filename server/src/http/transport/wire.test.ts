import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import t from 'tap'
import { openTenant, openVault } from '../../../verify/support/vault.ts'
import { ServiceError } from '../../base/errors.ts'
import { createLog } from '../../base/log.ts'
import { WireRequest } from './wire-request.ts'

/** Behaviour that needs a socket: framing, connections that stay or end, bodies that arrive late or never. */
const vault = openVault(t)
const tenant = await openTenant(vault)
const { port } = await vault.listen()
const limit = 1024 * 1024

const headers = (...lines: string[]) => ['Host: vault', ...lines, '', ''].join('\r\n')
const key = `SVC-API-KEY: ${tenant.privateKey}`
const asJson = 'Content-Type: application/json'
const close = 'Connection: close'
const body = '{"type":"token","data":1}'

/** Opens a connection; `answer` resolves with all that came when the server ends it. */
function open(to = port) {
  const socket = connect(to, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
  })
  socket.on('error', () => {})
  const ended = new Promise<string>(resolve => socket.on('close', () => resolve(received)))
  return {
    socket,
    ended,
    send: (bytes: string | Uint8Array) => socket.write(bytes),
    /** Resolves with all that came as soon as the pattern is in it. */
    async until(pattern: RegExp): Promise<string> {
      while (!pattern.test(received)) await once(socket, 'data')
      return received
    },
  }
}

async function talk(bytes: string | Uint8Array): Promise<string> {
  const connection = open()
  connection.send(bytes)
  return connection.ended
}

const statusOf = (response: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1])
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const get = (...lines: string[]) => `GET /tokens HTTP/1.1\r\n${headers(key, close, ...lines)}`
const post = (content: string, ...lines: string[]) =>
  `POST /tokens HTTP/1.1\r\n${headers(key, asJson, close, ...lines)}${content}`
const length = `Content-Length: ${body.length}`
const chunked = 'Transfer-Encoding: chunked'
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

const malformed: readonly [
  name: string,
  bad: string | Uint8Array,
  good: string | Uint8Array,
  status?: number,
][] = [
  ['no HTTP at all', 'hello\r\n\r\n', get()],
  [
    'a path with a raw byte',
    latin1(get().replace('/tokens', '/tokens?id=\xe9')),
    get().replace('/tokens', '/tokens?id=%C3%A9'),
  ],
  ['two lengths that differ', post(body, length, 'Content-Length: 3'), post(body, length)],
  [
    'a length beside chunks',
    post(`${chunk(body)}0\r\n\r\n`, chunked, length),
    post(`${chunk(body)}0\r\n\r\n`, chunked),
  ],
  ['too many headers', get(`X-A: ${'a'.repeat(17_000)}`), get(`X-A: ${'a'.repeat(10_000)}`), 431],
  [
    'too long a path',
    get().replace('/tokens', `/tokens?id=${'a'.repeat(17_000)}`),
    get().replace('/tokens', `/tokens?id=${'a'.repeat(10_000)}`),
    431,
  ],
]

t.test('input that is not HTTP is refused, and its connection ended', async t => {
  for (const [name, bad, good, status = 400] of malformed) {
    const refused = await talk(bad)
    t.equal(statusOf(refused), status, `${name}: ${refused}`)
    t.match(refused, /\r\nconnection: close\r\n/i, name)
    t.equal(refused.match(/HTTP\/1\.1/g)?.length, 1, 'one answer')
    const accepted = await talk(good)
    t.ok([200, 201].includes(statusOf(accepted)), `${name}, the control: ${accepted}`)
  }
})

t.test('header names are case-insensitive, and a repeated key is refused', async t => {
  t.equal(statusOf(await talk(get().replace('SVC-API-KEY', 'svc-Api-kEY'))), 200)
  t.equal(statusOf(await talk(get(key))), 401)
})

t.test('a body may be chunked, and Expect: 100-continue is answered', async t => {
  const slow = open()
  slow.send(`POST /tokens HTTP/1.1\r\n${headers(key, asJson, close, length, 'Expect: 100-continue')}`)
  await slow.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
  for (const character of body) {
    slow.send(character)
    await new Promise(setImmediate)
  }
  t.match(await slow.ended, /^HTTP\/1\.1 100 [\s\S]*HTTP\/1\.1 201 /)
  t.equal(statusOf(await talk(post(body, length, 'Expect: a-miracle'))), 201, 'another is ignored')
})

t.test('too long a body is refused: declared before it comes, in chunks once it is too much', async t => {
  const declared = open()
  declared.send(`POST /tokens HTTP/1.1\r\n${headers(key, asJson, `Content-Length: ${limit + 1}`)}`)
  t.match(await declared.until(/\}$/), /^HTTP\/1\.1 413 [\s\S]*urn:surrogate:error:payload_too_large/)
  declared.socket.destroy()

  const pieces = open()
  pieces.send(`POST /tokens HTTP/1.1\r\n${headers(key, asJson, chunked)}`)
  for (let sent = 0; sent <= limit; sent += 65_536) pieces.send(chunk(' '.repeat(65_536)))
  t.match(await pieces.until(/\}$/), /^HTTP\/1\.1 413 /, 'though its end never came')
  pieces.socket.destroy()

  const padding = chunk(' '.repeat(limit - body.length))
  t.equal(statusOf(await talk(post(`${padding}${chunk(body)}0\r\n\r\n`, chunked))), 201, 'the control')
})

t.test('a caller that sends all of a body that is too long still gets the response', async t => {
  const long = ' '.repeat(16 * limit)
  const bodies = [`Content-Length: ${long.length}`, chunked].map(
    framing =>
      `POST /tokens HTTP/1.1\r\n${headers(key, asJson, framing)}${framing === chunked ? `${chunk(long)}0\r\n\r\n` : long}`,
  )
  for (const bytes of bodies) {
    const caller = open()
    caller.socket.pause()
    await new Promise(resolve => caller.socket.write(bytes, resolve))
    caller.socket.resume()
    t.match(await caller.until(/\}$/), /^HTTP\/1\.1 413 /)
    caller.send(get())
    t.match(await caller.ended, /HTTP\/1\.1 200 /, 'and its connection is kept')
  }
})

t.test('a caller that wants to close the connection gets the refusal of its body, too', async t => {
  for (const framing of [`Content-Length: ${16 * limit}`, chunked]) {
    const caller = open()
    const rest = ' '.repeat(16 * limit)
    caller.socket.pause()
    const bytes = `POST /tokens HTTP/1.1\r\n${headers(key, asJson, close, framing)}${framing === chunked ? `${chunk(rest)}0\r\n\r\n` : rest}`
    await new Promise(resolve => caller.socket.write(bytes, resolve))
    caller.socket.resume()
    t.match(await caller.ended, /^HTTP\/1\.1 413 [\s\S]*\}$/)
  }
})

t.test('a caller that hangs up in the middle of a body leaves no token and no error in the log', async t => {
  const faults: string[] = []
  const own = openVault(t, { log: createLog(line => faults.push(line), 'warn') })
  const { send, privateKey } = await openTenant(own)
  const listening = await own.listen()
  for (const part of ['', body.slice(0, 10), body]) {
    const caller = open(listening.port)
    const declared = `Content-Length: ${body.length + 1}`
    caller.send(
      `POST /tokens HTTP/1.1\r\n${headers(`SVC-API-KEY: ${privateKey}`, asJson, declared, 'Expect: 100-continue')}`,
    )
    await caller.until(/100 Continue/)
    caller.send(part)
    caller.socket.destroy()
  }
  await listening.close()
  t.equal((await send('GET', '/tokens')).json.pagination.total_items, 0)
  t.same(faults, [])
})

t.test('a connection is kept after a refusal', async t => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const ports = new Set<number | undefined>()
  const ask = async (method: string, path: string, more: Record<string, string>, content?: string) => {
    const sent = httpRequest({ port, host: '127.0.0.1', agent, method, path, headers: more })
    sent.end(content)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    ports.add(response.socket.localPort)
    response.resume()
    await once(response, 'end')
    return response.statusCode
  }
  const own = { 'SVC-API-KEY': tenant.privateKey, 'Content-Type': 'application/json' }
  t.equal(await ask('POST', '/tokens', {}, body), 401)
  t.equal(await ask('POST', '/nothing', own, body), 404)
  t.equal(await ask('PUT', '/tokens', own, body), 405)
  t.equal(await ask('POST', '/tokens', { ...own, 'Content-Type': 'text/plain' }, body), 415)
  t.equal(await ask('POST', '/tokens', own, '{'), 400)
  t.equal(await ask('POST', '/tokens', own, body), 201)
  t.equal(ports.size, 1, 'all by one connection')

  const late = open()
  late.send(`POST /tokens HTTP/1.1\r\n${headers(length)}`)
  await late.until(/^HTTP\/1\.1 401 [\s\S]*\}$/)
  late.send(body)
  late.send(get())
  t.match(await late.ended, /HTTP\/1\.1 200 /, 'the rest of a body that was refused is passed over')
})

t.test('closing waits for requests in flight, and for nothing else', async t => {
  const own = openVault(t)
  const { privateKey } = await own.createTenant()
  const { port: to } = await own.listen()
  const silent = open(to)
  const half = open(to)
  const idle = open(to)
  const busy = open(to)
  await Promise.all([silent, half].map(({ socket }) => once(socket, 'connect')))
  half.send('GET /tokens HT')
  idle.send(`GET /healthz HTTP/1.1\r\n${headers()}`)
  await idle.until(/"ok"/)
  busy.send(
    `POST /tokens HTTP/1.1\r\n${headers(`SVC-API-KEY: ${privateKey}`, asJson, length, 'Expect: 100-continue')}`,
  )
  await busy.until(/100 Continue/)

  const closed = own.close()
  await Promise.all([silent.ended, half.ended, idle.ended])
  const [refusal] = await once(connect(to, '127.0.0.1'), 'error')
  t.equal(refusal.code, 'ECONNREFUSED')
  busy.send(body)
  const answer = await busy.ended
  t.match(answer, /HTTP\/1\.1 201 Created\r\n/)
  t.match(answer, /\r\nConnection: close\r\n/)
  await closed
})

t.test('a response that is not small is held within the budget, or refused', async t => {
  const made = await tenant.send('POST', '/tokens', { type: 'token', data: 'x' })
  const long = await tenant.send('POST', '/tokens', { type: 'token', data: 'x'.repeat(4096) })
  const held = t.capture(WireRequest.prototype, 'holdResponse', () => {
    throw new ServiceError('unavailable', 'there is no memory', { headers: { 'Retry-After': '1' } })
  })
  const read = (id: string) =>
    fetch(`http://127.0.0.1:${port}/tokens/${id}`, { headers: { 'SVC-API-KEY': tenant.privateKey } })
  t.equal((await read(made.json.id)).status, 200)
  t.equal(held().length, 0)
  const refused = await read(long.json.id)
  t.equal(refused.status, 503)
  t.equal(refused.headers.get('retry-after'), '1')
  t.match(await refused.json(), { status: 503 })
  const bytes = held()[0]?.args[0] ?? 0
  t.ok(bytes > 4096)
})
