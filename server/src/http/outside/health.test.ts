import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { newMasterKey } from '../../../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../../../verify/support/vault.ts'
import { systemRandom } from '../../base/random.ts'
import { MemoryStore } from '../../storage/engines/memory/memory-store.ts'
import { rotateMasterKey } from '../../storage/keys/rotation.ts'

t.test('/livez and /readyz need no key, and say one word', async t => {
  const ask = sender(openVault(t, { dev: false }), undefined)
  for (const path of ['/livez', '/readyz']) {
    t.match(await ask('GET', path), { status: 200, text: '{"status":"ok"}' }, path)
    t.equal((await ask('HEAD', path)).status, 200)
    t.equal((await ask('POST', path)).status, 404)
    t.equal((await ask('GET', `${path}/x`)).status, 404)
  }
})

t.test('without its store a server lives and is not ready', async t => {
  let reason: string | undefined
  const store = new MemoryStore()
  store.unhealthy = () => reason
  const ask = sender(openVault(t, {}, { openStore: async () => store }), undefined)
  t.equal((await ask('GET', '/readyz')).status, 200)
  reason = 'the database at db.internal does not answer'
  t.match(await ask('GET', '/readyz'), { status: 503, text: '{"status":"unavailable"}' })
  t.equal((await ask('GET', '/readyz')).headers.get('retry-after'), '1')
  t.equal((await ask('GET', '/livez')).status, 200)
  t.match(await ask('GET', '/healthz'), { status: 503, json: { reason } }, 'for people')
  reason = undefined
  t.equal((await ask('GET', '/readyz')).status, 200)
})

t.test('a server whose master key was rotated is not ready, and says so', async t => {
  const store = new MemoryStore()
  const [old, next] = [newMasterKey(), newMasterKey()]
  const open = (masterKey: Uint8Array) =>
    openVault(t, { masterKey, dev: false }, { openStore: async () => store })
  const [vault, other] = [open(old), open(old)]
  const [known, strange] = [await openTenant(vault), await openTenant(other)]
  t.equal((await known.send('GET', '/tokens')).status, 200)
  await rotateMasterKey({ store, from: old, to: next, random: systemRandom(), nowUs: 1 })
  const ask = sender(vault, strange.privateKey)
  t.equal((await ask('GET', '/readyz')).status, 200, 'it has not met it yet')
  t.match(await ask('GET', '/tokens'), { status: 503 })
  t.equal((await ask('GET', '/readyz')).status, 503)
  t.match((await ask('GET', '/healthz')).json.reason, /^the master key was rotated/)
  t.equal((await known.send('GET', '/tokens')).status, 200, 'a tenant that it knows')
  await t.rejects(vault.createTenant(), { name: 'StoreUnavailable' })
  const after = sender(open(next), strange.privateKey)
  t.equal((await after('POST', '/tokens', { type: 'token', data: 1 })).status, 201, 'nothing is damaged')
})

t.test('a draining server is not ready, lives, and still serves', async t => {
  const vault = openVault(t)
  const { privateKey } = await vault.createTenant()
  const ask = sender(vault, privateKey)
  vault.drain()
  await vault.ready()
  t.match(await ask('GET', '/readyz'), { status: 503, text: '{"status":"draining"}' })
  t.equal((await ask('GET', '/livez')).status, 200)
  t.equal((await ask('GET', '/tokens')).status, 200)
})

t.test(
  'a closing server is not ready before its port closes, and its port for metrics closes last',
  async t => {
    const vault = openVault(t, { metrics: true })
    const { privateKey } = await vault.createTenant()
    const { port } = await vault.listen()
    const metrics = await vault.listenForMetrics()
    const readiness = async () =>
      (await fetch(`${metrics.url}/readyz`, { headers: { Connection: 'close' } })).status
    t.equal(await readiness(), 200)
    const socket = connect(port, '127.0.0.1')
    const body = '{"type":"token","data":1}'
    const head = ['POST /tokens HTTP/1.1', 'Host: x', `SVC-API-KEY: ${privateKey}`, 'Expect: 100-continue']
    const more = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    socket.write(`${[...head, ...more].join('\r\n')}\r\n\r\n`)
    await once(socket, 'data')
    const answered = once(socket, 'close')
    const closing = vault.close()
    t.equal(await readiness(), 503, 'while a request is in flight')
    let received = ''
    socket.on('data', text => {
      received += text
    })
    socket.write(body)
    await closing
    await answered
    t.match(received, /^HTTP\/1\.1 201/)
    await t.rejects(readiness(), 'closed')
  },
)
