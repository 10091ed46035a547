import type { SessionRecord } from '../access/session.ts'
import { auditEntry } from '../audit/entries.ts'
import type { SessionsContext } from '../sessions/context.ts'
import { endExpiredSession } from '../sessions/end.ts'
import type { DocumentKind, Write } from '../storage/port.ts'
import type { DueRecord, OpenedRecord, RecordValue, SealedStore } from '../storage/records/sealed.ts'
import type { TokensContext } from '../tokens/context.ts'
import { eraseExpired } from '../tokens/erase.ts'
import type { TokenRecord } from '../tokens/token.ts'

/**
 * How many documents are erased together. Enough to share a flush of the disk, few enough that a read that
 * arrives meanwhile hardly waits.
 */
const batchSize = 64

/** What ends. Besides tokens and sessions these leave nothing but their absence. */
const kinds: readonly DocumentKind[] = ['token', 'token-cvc', 'session', 'idempotency']

export interface SweepContext {
  readonly store: SealedStore
  readonly tokens: TokensContext
  readonly sessions: SessionsContext
  nowUs(): number
  /** Lets whatever else waits go first; false where another sweeper has taken over. */
  pause(): Promise<boolean>
}

/**
 * Erases everything whose time is over: tokens with their codes and index entries, codes of cards, sessions
 * with their keys and nonces, what was kept for idempotency. Nothing of it could be read any more; this makes it cease to exist. A sweep that is
 * cut off is simply continued by the next one. Answers how many documents went.
 */
export async function sweep(context: SweepContext): Promise<number> {
  let erased = 0
  for (const kind of kinds) erased += await drain(context, kind)
  return erased
}

async function drain(context: SweepContext, kind: DocumentKind): Promise<number> {
  let erased = 0
  // What cannot be erased stays in front of all that is due, and must not hide the rest.
  let stuck = 0
  for (;;) {
    const limit = batchSize + stuck
    const due = await context.store.due(kind, context.nowUs() / 1000, limit)
    const outcomes = await Promise.all(due.map(one => erase(context, one)))
    const gone = outcomes.filter(Boolean).length
    erased += gone
    stuck = due.length - gone
    if (due.length < limit || !(await context.pause())) return erased
  }
}

/** False where it is still there, or somebody else has erased it. */
async function erase(context: SweepContext, due: DueRecord<RecordValue>): Promise<boolean> {
  const { document, store, record } = due
  // Without its tenant's keys it can be neither read nor accounted for; they may come back from a backup.
  if (!store) return false
  if (document.kind === 'token' && record) {
    return eraseExpired(context.tokens, store, record as OpenedRecord<TokenRecord>)
  }
  if (document.kind === 'session' && record) {
    return endExpiredSession(context.sessions, store, record as OpenedRecord<SessionRecord>)
  }
  // One that does not open is over all the same: whoever has the keys could still make out parts of it.
  const { kind, tenant, id, version } = document
  const writes: Write[] = [{ type: 'remove', kind, tenant, id, version }]
  if (kind === 'token') {
    const action = { operation: 'token:expire', entity_type: 'token', actor: null } as const
    writes.push(auditEntry(store, context.tokens.random, action))
  }
  return (await context.store.commit(writes, context.nowUs())).ok
}
