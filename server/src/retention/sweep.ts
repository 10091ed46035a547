import type { RoomParts } from '../access/room.ts'
import type { SessionRecord } from '../access/session.ts'
import { auditEntry } from '../audit/entries.ts'
import type { Clock } from '../base/time/clock.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type DocumentKind, StoreUnavailable, type Write } from '../storage/port/port.ts'
import type { DueRecord, OpenedRecord, RecordValue } from '../storage/records/records.ts'
import type { TokenRecord } from '../tokens/token.ts'
import type { Tokens } from '../tokens/tokens.ts'

/**
 * The number of documents erased together: enough to share a flush of the disk, few enough that a concurrent read hardly
 * waits.
 */
const batchSize = 64

/** Each batch reads what is stuck again. Where the store takes no writes at all, that must have an end. */
const mostStuck = 8 * batchSize

/** The kinds that expire. Only tokens and sessions need more than being removed. */
const kinds: readonly DocumentKind[] = ['token', 'token-cvc', 'session', 'idempotency', 'deduplication']

export interface SweepParts extends RoomParts {
  readonly tokens: Tokens
  readonly sessions: Sessions
  readonly clock: Pick<Clock, 'nowUs' | 'tenants'>
  /** Yields to other work. Resolves with false if the sweep has to end. */
  pause(): Promise<boolean>
}

/**
 * Erases everything that has expired: tokens with their codes and index entries, codes of cards, sessions with their keys
 * and nonces, receipts of idempotency keys, claims of deduplicated tokens. None of it could be read any more. An interrupted sweep is continued by the next
 * one. Documents that the store cannot erase at the moment do not keep it from erasing others.
 */
export async function sweep(parts: SweepParts): Promise<Swept> {
  const swept: Swept = { erased: 0 }
  for (const kind of kinds) await drain(parts, kind, swept)
  return swept
}

interface Swept {
  /** The number of erased documents. */
  erased: number
  /** Why some could not be erased. */
  failure?: StoreUnavailable
}

async function drain(parts: SweepParts, kind: DocumentKind, swept: Swept): Promise<void> {
  const eraseIfPossible = (one: DueRecord<RecordValue>) =>
    parts.clock.tenants
      .run(one.document.tenant, () => erase(parts, one))
      .catch(error => {
        if (!(error instanceof StoreUnavailable)) throw error
        swept.failure ??= error
        return false
      })
  // Documents that cannot be erased stay due, and must not hide the others.
  let stuck = 0
  for (;;) {
    const limit = batchSize + stuck
    const due = await parts.records.due(kind, parts.clock.nowUs() / 1000, limit)
    const outcomes = await Promise.all(due.map(eraseIfPossible))
    const gone = outcomes.filter(Boolean).length
    swept.erased += gone
    stuck = due.length - gone
    if (due.length < limit || (swept.failure && stuck >= mostStuck) || !(await parts.pause())) return
  }
}

/** Returns false if it was not erased, or by another process. */
async function erase(parts: SweepParts, due: DueRecord<RecordValue>): Promise<boolean> {
  const { document, store, record, failure } = due
  if (failure) throw failure
  // Without its tenant's keys it can be neither read nor audited. They may be restored from a backup.
  if (!store) return false
  if (document.kind === 'token' && record) {
    return parts.tokens.eraseExpired(store, record as OpenedRecord<TokenRecord>)
  }
  if (document.kind === 'session' && record) {
    return parts.sessions.endExpired(store, record as OpenedRecord<SessionRecord>)
  }
  // A record that cannot be opened is erased too: with the keys, parts of it might still be read.
  const { kind, tenant, id, version } = document
  const writes: Write[] = [{ type: 'remove', kind, tenant, id, version }]
  if (kind === 'token') {
    const action = { operation: 'token:expire', entity_type: 'token', actor: null } as const
    writes.push(auditEntry(store, parts.random, action))
  }
  return (await parts.records.commit(writes, parts.clock.nowUs())).ok
}
