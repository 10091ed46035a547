import { once } from 'node:events'
import { createServer } from 'node:net'
import t from 'tap'
import { openVault } from '../../../verify/support/vault.ts'
import { Admission } from '../../base/flow/admission.ts'
import { silentLog } from '../../base/log.ts'
import { systemRandom } from '../../base/random.ts'
import { createOperatorCore } from './operator-port.ts'

t.test('metrics take memory until they are read', async t => {
  const core = createOperatorCore({
    health: { unhealthy: () => undefined, formulas: () => undefined, draining: () => false },
    metrics: { contentType: 'text/plain', text: async () => 'x'.repeat(100_000) },
    log: silentLog,
    random: systemRandom(),
  })
  const request = { method: 'GET', path: '/metrics', query: '', headers: {}, readBody: async () => undefined }
  const ask = (reserve: (bytes: number) => void) => core({ ...request, reserve })
  const taken: number[] = []
  t.equal((await ask(bytes => taken.push(bytes))).status, 200)
  t.same(taken, [100_000])
  const full = new Admission('large unread responses', { total: 1 })
  full.demand({})
  t.equal((await ask(bytes => full.demand({}, bytes))).status, 503)
  t.equal((await core({ ...request, path: '/livez' })).status, 200)
  t.equal(
    (await core({ ...request, path: '/livez', method: 'POST' })).status,
    404,
    'asked by GET or HEAD only',
  )
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
