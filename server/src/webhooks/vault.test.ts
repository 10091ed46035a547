import t from 'tap'
import { webhooks as sdk } from '../../../sdk/src/index.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTestStore } from '../../verify/support/storage.ts'
import { newMasterKey } from '../../verify/support/stores.ts'
import { openVault } from '../../verify/support/vault.ts'
import { silentLog } from '../base/log.ts'
import { answering, openQueue } from './_fixture.ts'

t.test('a vault performs and delivers what is in its store, as far as its options allow', async t => {
  const receiver = await openReceiver(t)
  const shared = { store: await openTestStore(t), masterKey: newMasterKey() }
  const before = await openQueue(t, shared)
  await before.accept({ callbackUrl: receiver.origin, traceId: 'a-trace' })
  const secret = await before.secret()
  const open = (allowPrivateCallbacks: boolean) =>
    openVault(
      t,
      { masterKey: shared.masterKey, headerPrefix: 'ACME', allowPrivateCallbacks, log: silentLog },
      { openStore: async () => shared.store, performer: answering({ raw: 'done' }) },
    )
  const strict = open(false)
  await strict.clock.advance(0)
  t.equal(receiver.received.length, 0, 'by default nothing goes to a private address')
  await strict.close()

  const lenient = open(true)
  await lenient.clock.advance(60_000)
  t.equal(receiver.received.length, 1)
  const [delivery] = receiver.received
  t.equal(delivery?.headers['acme-trace-id'], 'a-trace')
  t.same(await sdk.verify(delivery?.body ?? '', delivery?.headers ?? {}, secret), { raw: 'done' })
  t.same(await before.left(), [0, 0])
})
