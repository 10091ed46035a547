import { openTestStore } from '../../verify/support/storage.ts'
import { newMasterKey, sealedOn } from '../../verify/support/stores.ts'
import { readTenant, writeTenant } from '../access/tenant-settings.ts'
import { Turns } from '../base/flow/turns.ts'
import type { JsonValue } from '../base/json/json.ts'
import { type Log, silentLog } from '../base/log.ts'
import { systemRandom } from '../base/random.ts'
import { createClock, type MovableClock } from '../base/time/clock.ts'
import { Validators } from '../contract/validators.ts'
import { createCallbackSender } from '../egress/callback-sender.ts'
import { createExpressions } from '../expressions/engine.ts'
import type { OpenEngine } from '../storage/port/port.ts'
import type { Receipt } from '../storage/port/transact.ts'
import type { TenantRecords } from '../storage/records/records.ts'
import { TestRecords } from '../storage/records/test-records.ts'
import { TokenChannels } from '../tokens/token-parts.ts'
import { Tokens } from '../tokens/tokens.ts'
import type { Job } from './job.ts'
import type { Performer, WebhookParts } from './webhook-parts.ts'
import { Webhooks } from './webhooks.ts'

type Teardown = { teardown(task: () => unknown): void }

export const tenantA = '7d0c3f4e-5b1a-4c55-9a53-0f3b8a6f1c11'
export const tenantB = '7d0c3f4e-5b1a-4c55-9a53-0f3b8a6f1c22'

/** One process on a store that it may share with others. */
export interface Queue {
  readonly parts: WebhookParts
  readonly webhooks: Webhooks
  readonly clock: MovableClock
  readonly records: TestRecords
  /** Takes a job with these members, the rest being whatever. */
  accept(job: Partial<Job> & Pick<Job, 'callbackUrl'>, receipt?: Receipt): Promise<void>
  store(tenant?: string): Promise<TenantRecords>
  secret(tenant?: string): Promise<string>
  /** Counts the documents of jobs: schedules and contents. */
  left(): Promise<readonly [number, number]>
}

interface QueueOptions {
  readonly store?: OpenEngine
  readonly masterKey?: Uint8Array
  /** Made by the options where a test looks at what it is given. */
  readonly performer?: Performer
  /** What the performer does, in its place. */
  readonly perform?: Performer['perform']
  readonly log?: Log
  readonly parts?: Partial<WebhookParts>
  /** The machine's clock. */
  readonly now?: () => number
}

export const answering = (answer: JsonValue): Performer => ({ perform: async () => answer })

/** A queue on a store, with two tenants in it; started where it has a performer, closed when the test ends. */
export async function openQueue(t: Teardown, options: QueueOptions = {}): Promise<Queue> {
  const store = options.store ?? (await openTestStore(t))
  const random = systemRandom()
  const clock = createClock(options.now ? { realNowMs: options.now } : {})
  const sealed = sealedOn(store, options.masterKey ?? newMasterKey())
  for (const tenant of [tenantA, tenantB]) await writeTenant({ records: sealed, random, clock }, tenant, {})
  const tokens = new Tokens({
    records: sealed,
    random,
    clock,
    dialect: undefined,
    channels: new TokenChannels(),
    validators: new Validators('SVC'),
    turns: new Turns(),
    expressions: createExpressions({ random: length => random.bytes(length) }),
    audit: { record: () => undefined },
  })
  const parts: WebhookParts = {
    records: sealed,
    isShared: false,
    tokens,
    clock,
    random,
    log: options.log ?? silentLog,
    send: createCallbackSender({ allowPrivate: true }),
    callbacks: { allowPrivate: true },
    traceHeader: 'SVC-TRACE-ID',
    ...options.parts,
  }
  const webhooks = new Webhooks(parts)
  const { perform, performer = perform && { perform } } = options
  if (performer) webhooks.start(performer)
  // The clock's timers keep no process alive; a test that waits for one of them has to be.
  const alive = setInterval(() => {}, 1000)
  t.teardown(async () => {
    clearInterval(alive)
    await webhooks.close()
    await clock.stop()
  })
  const tenantStore = async (tenant = tenantA) => {
    const found = await sealed.tenant(tenant)
    if (!found) throw new Error('no such tenant')
    return found
  }
  return {
    parts,
    webhooks,
    clock,
    records: new TestRecords(sealed, store),
    accept: (job, receipt) =>
      webhooks.accept(
        {
          tenant: tenantA,
          application: '0b9c7d2e-8f41-4a63-b5d7-1e2f3a4b5c01',
          reactor: '0b9c7d2e-8f41-4a63-b5d7-1e2f3a4b5c02',
          args: { card: '{{ a-token }}' },
          timeoutMs: 10_000,
          traceId: 'a-trace',
          depth: 0,
          ...job,
        },
        receipt,
      ),
    store: tenantStore,
    secret: async tenant => (await readTenant(await tenantStore(tenant)))?.webhook_secret ?? '',
    left: async () => {
      const count = async (kind: 'job' | 'job-content') => {
        const found = [tenantA, tenantB].map(tenant =>
          store.find(kind, tenant, { op: 'all' }, { nowMs: 0, offset: 0, limit: 0 }),
        )
        return (await Promise.all(found)).reduce((sum, { total }) => sum + total, 0)
      }
      return [await count('job'), await count('job-content')]
    },
  }
}
