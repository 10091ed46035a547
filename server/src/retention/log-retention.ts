import { batches } from '../base/flow/batches.ts'
import { type StoredDocument, StoreUnavailable, type Write } from '../storage/port/port.ts'
import { walkCollection, walkTenants } from '../storage/transfer/walk.ts'
import type { SweepParts } from './sweep.ts'

const dayUs = 24 * 3_600_000_000
/** The most terms, which are bits of the index to change, of the entries that are erased together. */
const termsTogether = 512

interface RetentionParts extends Pick<SweepParts, 'records' | 'clock' | 'pause'> {
  readonly auditRetentionDays: number
}

/**
 * Erases the entries of the audit log that are older than the retention, the oldest of each tenant first. Entries have no
 * due time: its keys would cost every write more than this walk costs once a day, and a changed retention would not apply to
 * existing entries. An interrupted walk is begun again.
 */
export async function eraseOldEntries(
  parts: RetentionParts,
): Promise<{ readonly erased: number; readonly isFinished: boolean; readonly failure?: StoreUnavailable }> {
  let erased = 0
  let failure: StoreUnavailable | undefined
  for await (const tenant of walkTenants(parts.records.engine)) {
    try {
      for await (const count of eraseOf(parts, tenant)) {
        erased += count
        if (!(await parts.pause())) return { erased, isFinished: false }
      }
    } catch (error) {
      // Other tenants may be on other nodes of the database.
      if (!(error instanceof StoreUnavailable)) throw error
      failure ??= error
    }
    if (!(await parts.pause())) return { erased, isFinished: false }
  }
  return failure ? { erased, isFinished: false, failure } : { erased, isFinished: true }
}

/** Erases the old entries of a tenant. Yields the number of each batch. */
async function* eraseOf(parts: RetentionParts, tenant: string): AsyncGenerator<number> {
  const { engine } = parts.records
  const beforeUs = parts.clock.nowUs(tenant) - parts.auditRetentionDays * dayUs
  const old = { op: 'created', toUs: beforeUs - 1 } as const
  const { total } = await engine.find('audit', tenant, old, { nowMs: 0, offset: 0, limit: 0 })
  if (total === 0) return
  for await (const page of walkCollection(engine, { kind: 'audit', tenant })) {
    const over = page.filter(({ createdUs, version }) => version > 0 && createdUs < beforeUs)
    for (const batch of batches(over, termsTogether, ({ terms }) => terms.length)) {
      yield await remove(parts, batch)
    }
    if (page.some(({ createdUs }) => createdUs >= beforeUs)) break
  }
}

async function remove(parts: RetentionParts, entries: readonly StoredDocument[]): Promise<number> {
  const writes = entries.map(
    ({ kind, tenant, id, version }): Write => ({ type: 'remove', kind, tenant, id, version }),
  )
  const result = await parts.records.commit(writes, parts.clock.nowUs())
  // Otherwise another sweeper has erased them.
  return result.ok ? entries.length : 0
}
