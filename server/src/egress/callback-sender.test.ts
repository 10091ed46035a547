import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import { openReceiver } from '../../verify/support/receiver.ts'
import { type CallbackSenderOptions, checkCallbackUrl, createCallbackSender } from './callback-sender.ts'
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

/** Each URL with its expected error, and the error where private callbacks are allowed. */
const cases: readonly (readonly [url: string, fault: RegExp | undefined, privately: RegExp | undefined])[] = [
  ['https://hooks.example.org/done?x=1#y', undefined, undefined],
  ['https://hooks.example.org:8443/', undefined, undefined],
  ['https://93.184.215.14/', undefined, undefined],
  ['https://[2606:4700::1]/', undefined, undefined],
  [`https://a.test/${'p'.repeat(2048 - 15)}`, undefined, undefined],
  [`https://a.test/${'p'.repeat(2048 - 14)}`, /longer than 2048/, /longer than 2048/],
  ['', /must be a URL/, /must be a URL/],
  ['/done', /must be a URL/, /must be a URL/],
  ['hooks.example.org', /must be a URL/, /must be a URL/],
  ['https://', /must be a URL/, /must be a URL/],
  ['https://a b/', /must be a URL/, /must be a URL/],
  ['http://hooks.example.org/done', /must be https/, undefined],
  ['ftp://hooks.example.org/', /must be https$/, /must be https or http/],
  ['file:///etc/passwd', /must be https$/, /must be https or http/],
  ['javascript:alert(1)', /must be https$/, /must be https or http/],
  ['https://user@hooks.example.org/', /user name or password/, /user name or password/],
  ['https://:secret@hooks.example.org/', /user name or password/, /user name or password/],
  ['https://127.0.0.1/', /private address/, undefined],
  ['https://2130706433/', /private address/, undefined],
  ['https://0x7f.1/', /private address/, undefined],
  ['https://10.1.2.3/', /private address/, undefined],
  ['https://169.254.169.254/latest/meta-data', /private address/, undefined],
  ['https://[::1]/', /private address/, undefined],
  ['https://[::ffff:10.0.0.1]/', /private address/, undefined],
  ['https://localhost/', /private address/, undefined],
  ['https://LOCALHOST./', /private address/, undefined],
  ['https://hooks.localhost/', /private address/, undefined],
  ['https://localhost.example.org/', undefined, undefined],
]

t.test('a callback URL must be https and not private, unless private callbacks are allowed', async t => {
  const check = (url: string, allowPrivate: boolean, fault: RegExp | undefined) => {
    const found = checkCallbackUrl(url, { allowPrivate })
    if (fault === undefined) t.equal(found, undefined, url)
    else t.match(found ?? 'nothing', fault, url)
    t.notMatch(found ?? '', /secret|127|meta-data/, 'no value is repeated')
  }
  for (const [url, fault, privately] of cases) {
    check(url, false, fault)
    check(url, true, privately)
  }
})
