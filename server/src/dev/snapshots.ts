import { invalid, ServiceError } from '../base/errors.ts'
import type { TenantTime } from '../base/time/clock.ts'
import type { TestRecords } from '../storage/records/test-records.ts'
import type { DevHandlersOf } from './handlers.ts'

interface SnapshotsParts {
  readonly records: TestRecords
  readonly clock: { readonly tenants: TenantTime }
  /** Entries of the audit log are written later than the response, and belong to what was asked before. */
  readonly audit: { settled(): Promise<void> }
}

const mostPerTenant = 100

/** Keeps the state of tenants under names, to return to. They end with a reset of the vault. */
export class Snapshots {
  readonly #parts: SnapshotsParts
  readonly #kept = new Map<string, Map<string, () => boolean>>()

  constructor(parts: SnapshotsParts) {
    this.#parts = parts
  }

  handlers(): DevHandlersOf<'snapshots'> {
    return {
      'dev.snapshots.create': async ({ tenant, body }) => {
        const name = body?.name ?? this.#freeName(tenant)
        await this.#take(tenant, name)
        return { status: 201, body: { name } }
      },
      'dev.snapshots.restore': async ({ tenant, path }) => {
        const restore = this.#kept.get(tenant)?.get(path.id)
        await this.#parts.audit.settled()
        if (!restore?.()) throw new ServiceError('not_found', 'there is no snapshot with this name')
        return { status: 204 }
      },
    }
  }

  async #take(tenant: string, name: string): Promise<void> {
    const { records, clock, audit } = this.#parts
    await audit.settled()
    const own = this.#kept.get(tenant) ?? new Map<string, () => boolean>()
    if (own.size >= mostPerTenant && !own.has(name)) {
      throw invalid('name', `must be that of an earlier snapshot, as a tenant has at most ${mostPerTenant}`)
    }
    const restore = records.snapshot(tenant)
    if (!restore) throw new ServiceError('conflict', 'snapshots need a server with the storage memory:')
    const aheadMs = clock.tenants.offsetMs(tenant)
    own.set(name, () => {
      if (!restore()) return false
      clock.tenants.setOffset(tenant, aheadMs)
      return true
    })
    this.#kept.set(tenant, own)
  }

  /** Drops all, as what they would return to is gone. */
  clear(): void {
    this.#kept.clear()
  }

  #freeName(tenant: string): string {
    const own = this.#kept.get(tenant)
    for (let number = (own?.size ?? 0) + 1; ; number++) {
      const name = `snapshot-${number}`
      if (!own?.has(name)) return name
    }
  }
}
