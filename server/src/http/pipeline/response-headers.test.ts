import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { openVault } from '../../../verify/support/vault.ts'

const { port } = await openVault(t).listen()
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The trace ids of a response to a request that carries this one, byte for byte. */
async function echo(given: string): Promise<string[]> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  socket.write(`GET /healthz HTTP/1.1\r\nHost: vault\r\nConnection: close\r\n${given}\r\n\r\n`, 'latin1')
  let received = ''
  socket.on('data', (text: string) => {
    received += text
  })
  await once(socket, 'close')
  return [...received.matchAll(/^svc-trace-id: (.*)\r$/gim)].map(match => match[1] ?? '')
}

t.test('a valid trace id is echoed', async t => {
  for (const id of ['x', 'a b', '~!"$%&/()=?{}[]', '4bf92f3577b34da6a3ce929d0e0e4736', 'i'.repeat(200)]) {
    t.same(await echo(`SVC-TRACE-ID: ${id}`), [id])
    t.same(await echo(`svc-trace-id:\t${id} `), [id], 'without the blanks around it')
  }
  t.same(await echo('SVC-TRACE-ID: a\r\nSVC-TRACE-ID: b'), ['a, b'], 'two are a list, as in any header')
})

t.test('an invalid trace id is replaced', async t => {
  const made = new Set<string>()
  const hostile = [
    'SVC-TRACE-ID:',
    `SVC-TRACE-ID: ${'i'.repeat(201)}`,
    'SVC-TRACE-ID: é',
    'SVC-TRACE-ID: a\tb',
    'X-Other: x',
  ]
  for (const given of hostile) {
    const [id = '', ...more] = await echo(given)
    t.match(id, uuid, given)
    t.same(more, [])
    made.add(id)
  }
  t.equal(made.size, hostile.length, 'a new one each time')
})

t.test('what depends on the origin says so, for every origin', async t => {
  const vault = openVault(t, { dev: false, developmentTenant: false, corsOrigins: ['https://a.example'] })
  for (const Origin of ['https://a.example', 'https://b.example', undefined]) {
    const headers = { ...(Origin && { Origin }) }
    const { headers: sent } = await vault.fetch('http://vault/tokens', { headers })
    t.match(sent.get('vary'), /\bOrigin\b/, String(Origin))
    t.equal(sent.has('access-control-allow-origin'), Origin === 'https://a.example')
  }
})

t.test('files of the documentation may be kept, the health of the server not', async t => {
  const vault = openVault(t)
  const cacheOf = async (path: string) =>
    (await vault.fetch(`http://vault${path}`)).headers.get('cache-control')
  t.equal(await cacheOf('/docs'), 'no-cache')
  for (const path of ['/livez', '/readyz', '/healthz', '/_dev/nothing'])
    t.equal(await cacheOf(path), 'no-store', path)
})
