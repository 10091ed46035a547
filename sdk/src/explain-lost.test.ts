import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import t, { type Test } from 'tap'
import { apiKey, failure } from '../testing/fakes.ts'
import { explainLost } from './explain-lost.ts'
import { type ConnectionError, Surrogate, Tokens } from './index.ts'

async function portOf(t: Test, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

async function messageFor(baseUrl: string): Promise<string> {
  const surrogate = new Surrogate({ apiKey, baseUrl, maxRetries: 0 })
  return (await failure<ConnectionError>(surrogate.tokens.list({ metadata: { a: 'secret' } }))).message
}

t.test('an error of the connection names the address, the code and the likely reason', async t => {
  const closed = createTcpServer()
  const port = await portOf(t, closed)
  closed.close()
  await once(closed, 'close')
  t.equal(
    await messageFor(`http://127.0.0.1:${port}`),
    `no response from http://127.0.0.1:${port}/tokens (ECONNREFUSED): nothing listens there; is the server running, and is the port right?`,
  )

  const http = await portOf(t, createServer())
  t.match(
    await messageFor(`https://127.0.0.1:${http}/api`),
    new RegExp(
      `^no response from https://127\\.0\\.0\\.1:${http}/api/tokens \\(ERR_SSL_\\w+\\): the server does not speak https; try http:$`,
    ),
  )

  const https = await portOf(t, createHttpsServer())
  t.match(
    await messageFor(`http://127.0.0.1:${https}`),
    /\/tokens \(\w+\): the connection was closed; does the server speak https\?$/,
  )
  t.match(
    await messageFor('http://no-such-host.invalid'),
    /\/tokens \((ENOTFOUND|EAI_AGAIN)\): there is no such host; is it spelled right\?$/,
  )
})

t.test('other runtimes and reasons', async t => {
  const of = (error: object, url = 'https://vault.test') => explainLost(error, url)
  t.match(of({ code: 'ConnectionRefused' }), /^ \(ConnectionRefused\): nothing listens/, 'Bun')
  t.match(of({ message: 'tcp connect error: Connection refused (os error 111)' }), /^: nothing/, 'Deno')
  t.match(of({ message: 'dns error: failed to lookup address' }), /^: there is no such host/)
  t.match(of({ cause: { code: 'SELF_SIGNED_CERT_IN_CHAIN' } }), /certificate is not trusted/)
  t.equal(of({ cause: { code: 'ECONNRESET' } }), ' (ECONNRESET): the connection was closed')
  const inProcess = of({ cause: { code: 'ENOTFOUND' } }, 'http://vault/tokens')
  t.match(inProcess, /: pass fetch: vault\.fetch$/)
  t.match(of({ code: 'ENOTFOUND' }, 'http://vaults.test/tokens'), /: there is no such host/, 'control')
  const found = of({ code: 'a code with a value', message: 'Failed to fetch' })
  t.equal(found, '', 'nothing is made up, or quoted')
  t.equal(of(null as never), '')
})

t.test('in a page, what CORS refuses is not told from a server that is down', async t => {
  const scope = globalThis as { location?: { origin: string } }
  t.teardown(() => delete scope.location)
  scope.location = { origin: 'https://shop.test' }
  const hint =
    ': the server does not run, or does not allow the origin https://shop.test (CORS, --cors-origin)'
  for (const message of ['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed'])
    t.equal(explainLost(new TypeError(message), 'https://vault.test/tokens'), hint, message)
  t.equal(explainLost(new TypeError('Failed to fetch'), 'https://shop.test/tokens'), '', 'its own origin')
  t.equal(explainLost(new TypeError('Failed to fetch'), ''), '', 'a server that has responded before')
  t.match(explainLost({ code: 'ECONNREFUSED' }, 'https://vault.test/'), /: nothing listens there/)
})

t.test('tokens alone name the address', async t => {
  const fetch = async () => {
    throw new TypeError('Failed to fetch')
  }
  const tokens = new Tokens({ apiKey, baseUrl: 'https://vault.test', fetch, maxRetries: 0 })
  t.equal(
    (await failure<ConnectionError>(tokens.get('an-id'))).message,
    'no response from https://vault.test/tokens/an-id',
  )
})

t.test('a server that has responded before is not asked for https', async t => {
  const closed = () => {
    throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })
  }
  const answers = [closed, () => new Response('{}'), closed]
  const fetch = async () => (answers.shift() ?? closed)()
  const surrogate = new Surrogate({ apiKey, baseUrl: 'http://vault.test', fetch, maxRetries: 0 })
  const messageOf = async () => (await failure<ConnectionError>(surrogate.tokens.get('an-id'))).message
  t.match(await messageOf(), /does the server speak https\?$/)
  await surrogate.tokens.get('an-id')
  t.match(await messageOf(), /the connection was closed$/)
})
