import { once } from 'node:events'
import { createServer } from 'node:net'
import t from 'tap'
import { openVault } from '../../../verify/support/vault.ts'
import { silentLog } from '../../base/log.ts'
import { systemRandom } from '../../base/random.ts'
import { createOperatorCore } from './operator-port.ts'

t.test('the port has metrics and health, asked by GET or HEAD only', async t => {
  const core = createOperatorCore({
    health: {
      unhealthy: () => undefined,
      formulas: () => undefined,
      draining: () => false,
      starting: () => false,
    },
    metrics: { contentType: 'text/plain', text: async () => 'x 1' },
    log: silentLog,
    random: systemRandom(),
  })
  const rest = {
    query: '',
    headers: {},
    isGone: false,
    readBody: async () => undefined,
    holdResponse() {},
    onClose() {},
  }
  const ask = async (method: string, path: string) => (await core({ method, path, ...rest })).status
  t.equal(await ask('GET', '/metrics'), 200)
  t.equal(await ask('GET', '/livez'), 200)
  t.equal(await ask('POST', '/livez'), 404)
  t.equal(await ask('GET', '/tokens'), 404)
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
