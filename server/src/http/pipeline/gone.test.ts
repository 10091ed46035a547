import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { replacing } from '../../../verify/support/stores.ts'
import { openTenant, openVault } from '../../../verify/support/vault.ts'
import { MemoryStore } from '../../storage/engines/memory/memory-store.ts'
import type { Listening } from '../transport/listener.ts'

t.test('a request that waits is not begun when its caller has hung up', async t => {
  const memory = new MemoryStore()
  const gates: (() => void)[] = []
  let isSlow = false
  const store = replacing(memory, {
    recent: () => undefined,
    get: async (...given) => {
      if (isSlow) await new Promise<void>(resolve => gates.push(resolve))
      return memory.get(...given)
    },
  })
  const vault = openVault(t, {}, { openStore: async () => store })
  const tenant = await openTenant(vault)
  const listening = (await vault.listen()) as Listening
  const send = async (id: string) => {
    const body = JSON.stringify({ id, type: 'token', data: 1 })
    const socket = connect(listening.port, '127.0.0.1')
    socket.write(
      [
        'POST /tokens HTTP/1.1',
        'Host: vault',
        `SVC-API-KEY: ${tenant.privateKey}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    )
    while (gates.length === 0) await turn()
    return socket
  }
  const goOn = () => {
    isSlow = false
    for (const gate of gates.splice(0)) gate()
  }

  isSlow = true
  const impatient = await send('impatient')
  impatient.destroy()
  while (listening.connections() > 0) await turn()
  goOn()
  await vault.settled()

  isSlow = true
  const patient = await send('patient')
  goOn()
  await once(patient, 'data')
  patient.destroy()
  const tokens = JSON.parse((await tenant.send('GET', '/tokens')).text).data
  t.same(
    tokens.map(({ id }: { readonly id: string }) => id),
    ['patient'],
  )
})
