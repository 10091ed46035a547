import { storeOfKey } from '../access/keys.ts'
import type { RoomParts } from '../access/room.ts'
import { type SessionRecord, sessionsOfTerm } from '../access/session.ts'
import { matchTerm, type Write } from '../storage/port/port.ts'
import { transact } from '../storage/port/transact.ts'
import type { OpenedRecord, TenantRecords } from '../storage/records/records.ts'
import { sessionEntry } from './session-parts.ts'

const batchSize = 64

/** Removes an expired session with its key and its nonce. Returns false if another writer came between. */
export async function endExpiredSession(
  parts: RoomParts,
  store: TenantRecords,
  session: OpenedRecord<SessionRecord>,
): Promise<boolean> {
  const writes = await removal(parts, store, session, 'session:expire', null)
  return (await store.commit(writes, parts.clock.nowUs())).ok
}

/**
 * Removes the sessions that an application created or authorized, after it was deleted. No commit can add another one
 * then, so the sessions found at the start are all of them.
 *
 * @param actor the application that deleted it; `null` for the operator
 */
// Requirements: APP-508
export async function endSessionsOf(
  parts: RoomParts,
  store: TenantRecords,
  application: string,
  actor: string | null,
): Promise<void> {
  const query = matchTerm(sessionsOfTerm(store, application))
  let afterUs = 0
  for (;;) {
    const options = {
      nowMs: parts.clock.nowUs() / 1000,
      offset: 0,
      limit: batchSize,
      oldestFirst: true,
      afterUs,
    }
    const { records } = await store.findReadable<SessionRecord>('session', query, options)
    const last = records.at(-1)
    if (!last) return
    afterUs = last.createdUs
    await Promise.all(records.map(({ value }) => endSession(parts, store, value.id, actor)))
  }
}

function endSession(parts: RoomParts, store: TenantRecords, id: string, actor: string | null): Promise<void> {
  return transact(store, parts.clock, async () => {
    const session = await store.get<SessionRecord>('session', id)
    const writes = session ? await removal(parts, store, session, 'session:delete', actor) : []
    return { writes, result: () => {} }
  })
}

/** The writes that remove a session, its key and its nonce. */
async function removal(
  parts: RoomParts,
  store: TenantRecords,
  { value, version }: OpenedRecord<SessionRecord>,
  operation: string,
  actor: string | null,
): Promise<Write[]> {
  const { id, key_digest, nonce_digest } = value
  const root = await parts.records.root(parts.clock.nowUs())
  return [
    store.remove('session', id, version),
    ...(await storeOfKey({ root, store }, key_digest).removal('key', key_digest)),
    ...(await store.removal('nonce', nonce_digest)),
    sessionEntry(parts, store, operation, id, actor),
  ]
}
