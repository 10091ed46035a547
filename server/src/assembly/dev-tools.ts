import { LRUCache } from 'lru-cache'
import { readTenant, tenantStore } from '../access/tenants.ts'
import type { AuditRecorder } from '../audit/recorder.ts'
import { lruOptions } from '../base/cache.ts'
import { onAbort } from '../base/flow/event-loop.ts'
import { Events } from '../dev/events.ts'
import { RecentlyExpired } from '../dev/explanation.ts'
import { Faults } from '../dev/faults.ts'
import { Inbox, inboxOrigin } from '../dev/inbox.ts'
import { Journal } from '../dev/journal.ts'
import { Leaks } from '../dev/leaks/leaks.ts'
import { Snapshots } from '../dev/snapshots.ts'
import type { CallbackSender } from '../egress/callback-sender.ts'
import { EgressError } from '../egress/egress-error.ts'
import { UnderWay } from '../http/pipeline/core.ts'
import type { PrintedLine } from '../reactors/console.ts'
import type { IsHeldBusy } from '../reactors/reactors-context.ts'
import type { Stores } from './stores.ts'

/** What a development server keeps for tests, in memory only. */
export interface DevTools {
  readonly faults: Faults
  readonly journal: Journal
  readonly inbox: Inbox
  readonly expired: RecentlyExpired
  readonly idleness: UnderWay
  readonly snapshots: Snapshots
  readonly leaks: Leaks
  readonly events: Events
  /** To be called with each line that a formula prints. */
  printed(tenant: string, reactor: string, line: PrintedLine): void
  /** The keys that this process has made, by their digest, as the store keeps digests only. */
  readonly keys: LRUCache<string, string>
  /** Notes a key that was made or given. */
  onKey(digest: string, key: string): void
  /** Returns a sender that delivers to the inbox, and fails as tests have ordered. */
  sender(send: CallbackSender): CallbackSender
  readonly isHeldBusy: IsHeldBusy
  /** Drops everything, as the tenants are gone. */
  clear(): void
  /** Ends all waits. */
  close(): void
}

const mostKeys = 10_000

/** Loaded under `--dev` only. */
export function createDevTools(stores: Stores, audit: AuditRecorder): DevTools {
  const { clock } = stores
  const faults = new Faults()
  const events = new Events()
  const journal = new Journal((tenant, request) => events.publish(tenant, 'request', request))
  const keys = new LRUCache<string, string>(lruOptions(mostKeys))
  const expired = new RecentlyExpired()
  const snapshots = new Snapshots({ ...stores, audit })
  const leaks = new Leaks(stores)
  const inbox = new Inbox({
    nowMs: () => clock.nowMs(),
    machineMs: () => clock.machineMs(),
    secretOf: async tenant => (await readTenant(await tenantStore(stores, tenant)))?.webhook_secret ?? '',
    published: (tenant, webhook) => events.publish(tenant, 'webhook', webhook),
  })
  const clear = () => {
    faults.reset()
    journal.clear()
    inbox.clear()
    events.clear()
    keys.clear()
    expired.clear()
    snapshots.clear()
    leaks.clear()
  }
  return {
    faults,
    journal,
    inbox,
    idleness: new UnderWay(),
    expired,
    snapshots,
    leaks,
    events,
    printed: (tenant, reactor, line) => events.publish(tenant, 'console', { reactor_id: reactor, ...line }),
    keys,
    onKey: (digest, key) => void keys.set(digest, key),
    sender: send => async callback => {
      const { tenant, reactor, traceId, signal } = callback
      const fault = faults.take({ on: 'delivery', tenant, reactor, traceId })
      if (fault?.latency !== undefined) await faults.wait(tenant, fault.latency, onAbort(signal))
      if (signal.aborted) throw new EgressError('network', 'the delivery was given up')
      if (fault?.drop !== undefined) throw new EgressError('network', 'a test has ordered this fault')
      if (fault?.status !== undefined) return fault.status
      return new URL(callback.url).origin === inboxOrigin ? inbox.receive(callback) : send(callback)
    },
    isHeldBusy: async ({ tenant, notes }, reactor, lane) => {
      const fault = faults.take({ on: 'formula', tenant, reactor })
      const onDisconnect = lane === 'sync' ? notes?.onDisconnect : undefined
      if (fault?.latency !== undefined) await faults.wait(tenant, fault.latency, onDisconnect)
      return fault !== undefined
    },
    clear,
    close: () => {
      faults.close()
      clear()
    },
  }
}
