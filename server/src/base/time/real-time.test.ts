// In a process of its own: it replaces the timers of its process.
import FakeTimers from '@sinonjs/fake-timers'
import t from 'tap'
import { echo, reactorOn } from '../../../verify/support/reactors.ts'
import { openReceiver } from '../../../verify/support/receiver.ts'
import { openTenant, openVault } from '../../../verify/support/vault.ts'

t.test('fake timers of a test do not stop a vault', async t => {
  const receiver = await openReceiver(t)
  const vault = openVault(t, { storage: 'memory:', allowPrivateCallbacks: true })
  const tenant = await openTenant(vault)
  const before = Date.now()
  // As vitest does: without these two, streams and requests of Node stand still, whoever uses them.
  const fake = FakeTimers.install({ now: 0, toNotFake: ['nextTick', 'queueMicrotask'] })
  try {
    t.equal(Date.now(), 0, 'the control: time stands still')
    const card = { id: 'a-card', type: 'card', data: { number: '4242424242424242', cvc: '123' } }
    const created = await tenant.send('POST', '/tokens', card)
    t.equal(created.status, 201)
    t.ok(Date.parse(created.json.created_at) >= before, 'its clock is not that of the test')
    const react = await reactorOn(tenant, echo)
    t.match((await react({ args: {} })).json, { raw: { args: {} } })
    t.equal((await react({ args: {}, callback_url: receiver.origin })).status, 202)
    await vault.clock.advance(3_600_000)
    t.equal(receiver.received.length, 1)
    t.notOk((await tenant.send('GET', '/tokens/a-card')).json.data.cvc, 'the code has expired')
    const { url } = await vault.listen()
    t.equal((await fetch(`${url}/healthz`)).status, 200)
    await vault.close()
  } finally {
    fake.uninstall()
  }
})
