import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import { openReceiver } from '../../verify/support/receiver.ts'
import { type CallbackSenderOptions, createCallbackSender } from './callback-sender.ts'
import { EgressError } from './egress-error.ts'
import type { Resolve } from './resolve.ts'

const never = new AbortController().signal

function post(url: string, options: Partial<CallbackSenderOptions> = {}, signal = never) {
  const send = createCallbackSender({ allowPrivate: true, ...options })
  const body = Buffer.from('{"raw":1}')
  const headers = { 'content-type': 'application/json', 'webhook-id': 'x' }
  return send({ url, tenant: 't', reactor: 'r', traceId: 'x', headers, body, signal })
}

const reasonOf = (sent: Promise<number>) =>
  sent.then(
    status => `answered ${status}`,
    error => (error instanceof EgressError ? error.reason : error),
  )

const resolvesTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))

t.test('a callback is one POST with its body, headers and host name', async t => {
  const receiver = await openReceiver(t, () => 204)
  const resolve = resolvesTo('127.0.0.1')
  t.equal(await post(`http://hooks.test:${receiver.port}/a/b?c=d#e`, { resolve }), 204)
  t.match(receiver.received, [{ method: 'POST', path: '/a/b?c=d', body: Buffer.from('{"raw":1}') }])
  t.match(receiver.received[0]?.headers, {
    host: `hooks.test:${receiver.port}`,
    'content-length': '9',
    'content-type': 'application/json',
    'webhook-id': 'x',
    connection: 'close',
  })
})

t.test('any status is returned, and redirects are not followed', async t => {
  const target = await openReceiver(t)
  const receiver = await openReceiver(t, ({ path }, response) => {
    response.setHeader('Location', `${target.origin}/elsewhere`)
    return Number(path.slice(1))
  })
  for (const status of [200, 299, 301, 302, 303, 307, 308, 400, 404, 410, 500, 599]) {
    t.equal(await post(`${receiver.origin}/${status}`), status)
  }
  t.equal(target.received.length, 0)
})

t.test('a name that is not resolved in time is an error', async t => {
  const resolve: Resolve = () => new Promise(() => {})
  t.equal(await reasonOf(post('https://hooks.test/', { resolve, timeoutMs: 50 })), 'time')
})

t.test('a closed port and an unknown name are network errors', async t => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  t.equal(await reasonOf(post(`http://127.0.0.1:${port}/`)), 'network')
  const resolve: Resolve = async () => {
    throw Object.assign(new Error('queryA ENOTFOUND secret.test'), { code: 'ENOTFOUND' })
  }
  const error = await post('https://secret.test/', { resolve }).catch(error => error)
  t.match(error, { reason: 'network', message: 'network error' })
})

t.test('a name is resolved for each connection, and its private addresses are skipped', async t => {
  const receiver = await openReceiver(t)
  const url = `https://hooks.test:${receiver.port}/`
  const asked: string[] = []
  const watched =
    (resolve: Resolve): Resolve =>
    hostname => {
      asked.push(hostname)
      return resolve(hostname)
    }
  for (const address of [
    '127.0.0.1',
    '::1',
    '10.0.0.1',
    '::ffff:127.0.0.1',
    '169.254.169.254',
    '64:ff9b::1',
  ]) {
    const resolve = watched(resolvesTo(address))
    t.equal(await reasonOf(post(url, { allowPrivate: false, resolve })), 'refused', address)
  }
  t.same(asked, Array(6).fill('hooks.test'))
  t.equal(receiver.received.length, 0)

  const both = resolvesTo('127.0.0.1')
  t.equal(await post(`http://hooks.test:${receiver.port}/`, { resolve: both }), 200, 'control')
})

t.test('a literal address is checked without resolving', async t => {
  const resolve: Resolve = async () => t.fail('nothing to look up') as never
  for (const host of ['127.0.0.1', '[::1]', '0x7f000001', '10.1.1.1', '[::ffff:127.0.0.1]']) {
    t.equal(await reasonOf(post(`https://${host}/`, { allowPrivate: false, resolve })), 'policy', host)
  }
})

t.test('https uses TLS with the host name', async t => {
  const heard: Buffer[] = []
  const server = createServer(socket =>
    socket
      .on('error', () => {})
      .on('data', data => {
        heard.push(data)
        socket.destroy()
      }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const resolve = resolvesTo('127.0.0.1')
  t.equal(await reasonOf(post(`https://hooks.test:${port}/`, { resolve })), 'network')
  t.equal(heard[0]?.[0], 0x16, 'a handshake')
  t.ok(heard[0]?.includes('hooks.test'))
  t.notOk(heard[0]?.includes('raw'), 'nothing is sent in the clear')
})
