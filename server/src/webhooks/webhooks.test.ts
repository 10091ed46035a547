import t from 'tap'
import { webhooks as sdk } from '../../../sdk/src/index.ts'
import { later } from '../../verify/support/later.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTestStore } from '../../verify/support/storage.ts'
import { newMasterKey } from '../../verify/support/stores.ts'
import { openVault } from '../../verify/support/vault.ts'
import type { Caller } from '../access/caller.ts'
import { silentLog } from '../base/log.ts'
import { limits } from '../generated/facts.ts'
import { answering, openQueue } from './_fixture.ts'
import { retryDelayMs } from './claim.ts'
import { signedHeaders } from './sign.ts'

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

t.test('the example of the Standard Webhooks reference libraries has its signature', async t => {
  const headers = signedHeaders(
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1614265330,
    Buffer.from('{"test": 2432232314}'),
  )
  t.same(headers, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

const failures = Array.from({ length: limits.webhookRetries }, (_, index) => index + 1)
const total = (chance: number) =>
  failures.reduce((sum, n) => sum + (retryDelayMs(n, chance) ?? Number.NaN), 0)
const hour = 3_600_000

t.test('ten retries take about two and a half hours, each twice as long after the one before', async t => {
  t.equal(limits.webhookRetries, 10)
  t.ok(Math.abs(total(0.5) - 2.5 * hour) < 0.1 * hour, `${total(0.5) / hour} hours`)
  for (const n of failures.slice(1)) t.equal(retryDelayMs(n, 0.5), 2 * (retryDelayMs(n - 1, 0.5) ?? 0))
  t.equal(retryDelayMs(limits.webhookRetries + 1, 0.5), undefined)
})

t.test('chance makes each a fifth longer or shorter, no more', async t => {
  t.equal(retryDelayMs(1, 0), 7200)
  t.equal(retryDelayMs(1, 1), 10_800)
  t.ok(total(0) > 2 * hour && total(1) < 3.1 * hour)
})

t.test('a job that is canceled while its formula runs commits and delivers nothing', async t => {
  const receiver = await openReceiver(t)
  const [running, canceled] = [later(), later()]
  const { perform } = answering({ raw: 'done' })
  const queue = await openQueue(t, {
    perform: async (...given) => {
      running.keep()
      await canceled.promise
      return perform(...given)
    },
  })
  await queue.accept({ callbackUrl: receiver.origin })
  const advancing = queue.clock.advance(0)
  await running.promise
  const store = await queue.store()
  const { records } = await store.find('job', { op: 'all' }, { nowMs: 0, offset: 0, limit: 1 })
  const { cancelJob } = await import('./jobs.ts')
  const caller = { tenant: store.tenant, application: 'an-application' } as Caller
  await cancelJob(queue.webhooks.of(caller), records[0]?.value.id ?? '')
  canceled.keep()
  await advancing
  t.equal(receiver.received.length, 0)
  t.same(await queue.left(), [0, 0])
})
