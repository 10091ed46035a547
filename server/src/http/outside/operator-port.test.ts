import { once } from 'node:events'
import { createServer } from 'node:net'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { openVault } from '../../../verify/support/vault.ts'
import { Admission } from '../../base/flow/admission.ts'
import { systemRandom } from '../../base/random.ts'
import { createOperatorCore, Pulse } from './operator-core.ts'

/** Asks for a path until it gets an answer; then writes its status for whoever waits for it. */
const asking = `
  const { request } = require('node:http')
  const { workerData: { url, answered } } = require('node:worker_threads')
  request(url, { timeout: 10000 }, response => {
    Atomics.store(answered, 0, response.resume().statusCode)
    Atomics.notify(answered, 0)
  }).end()`

t.test('a probe is answered while the thread of the server is busy; metrics wait for it', async t => {
  const vault = openVault(t, { metrics: true })
  const { url } = await vault.listenForMetrics()
  const ask = (path: string, waitMs: number) => {
    const answered = new Int32Array(new SharedArrayBuffer(4))
    const asker = new Worker(asking, { eval: true, workerData: { url: `${url}${path}`, answered } })
    t.teardown(() => asker.terminate())
    // Nothing else can happen in this thread meanwhile.
    Atomics.wait(answered, 0, 0, waitMs)
    return { asker, status: () => Atomics.load(answered, 0) }
  }
  t.equal(ask('/livez', 20_000).status(), 200)
  const { asker, status } = ask('/metrics', 500)
  t.equal(status(), 0)
  await once(asker, 'exit')
  t.equal(status(), 200)
})

const path = (method: string, path: string) => ({
  ...{ method, path, query: '', headers: {} },
  readBody: async () => undefined,
})

t.test('a server whose event loop does not turn is not alive', async t => {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const pulse = new Pulse(beats)
  const core = createOperatorCore({
    pulse,
    random: systemRandom(),
    ask: async () => ({ status: 404, headers: {} }),
  })
  const isAlive = async () => (await core(path('GET', '/livez'))).status === 200
  t.ok(await isAlive(), 'at its start')
  for (let n = 0; n < 30; n++) {
    Atomics.add(beats, 0, 1)
    pulse.check()
  }
  t.ok(await isAlive(), 'with a beat in each interval')
  for (let n = 0; n < 9; n++) pulse.check()
  t.ok(await isAlive(), 'after nine intervals without one')
  pulse.check()
  t.notOk(await isAlive(), 'after ten')
  Atomics.add(beats, 0, 1)
  pulse.check()
  t.ok(await isAlive(), 'with the next')
  t.equal((await core(path('POST', '/livez'))).status, 404, 'asked by GET or HEAD only')
})

t.test('metrics take memory until they are read', async t => {
  const core = createOperatorCore({
    pulse: new Pulse(new Int32Array(1)),
    random: systemRandom(),
    ask: async () => ({ status: 200, headers: {}, body: 'x'.repeat(100_000) }),
  })
  const ask = (reserve: (bytes: number) => void) => core({ ...path('GET', '/metrics'), reserve })
  const taken: number[] = []
  t.equal((await ask(bytes => taken.push(bytes))).status, 200)
  t.same(taken, [100_000])
  const full = new Admission('large unread responses', { total: 1 })
  full.demand({})
  t.equal((await ask(bytes => full.demand({}, bytes))).status, 503)
})

t.test('a port that is taken is refused with the error of the system, and can be opened later', async t => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const vault = openVault(t, { metrics: true })
  await t.rejects(vault.listenForMetrics({ port }), { code: 'EADDRINUSE', port, syscall: 'listen' })
  taken.close()
  await once(taken, 'close')
  const listening = await vault.listenForMetrics({ port })
  t.equal(listening.port, port)
  t.equal((await fetch(`${listening.url}/readyz`)).status, 200)
  await listening.close()
  await t.rejects(fetch(`${listening.url}/readyz`))
})
