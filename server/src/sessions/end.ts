import { type SessionRecord, sessionsOfTerm } from '../access/session.ts'
import { matchTerm } from '../access/terms.ts'
import { auditEntry } from '../audit/entries.ts'
import type { OpenedRecord, TenantStore } from '../storage/records/sealed.ts'
import type { SessionsContext } from './context.ts'

const batchSize = 64

/** Removes a session whose time is over, with its key and its nonce; false where somebody else was quicker. */
export async function endExpiredSession(
  context: SessionsContext,
  store: TenantStore,
  session: OpenedRecord<SessionRecord>,
): Promise<boolean> {
  return end(context, store, session, { operation: 'session:expire', actor: null })
}

/**
 * Removes the sessions that an application created or authorized, when it is deleted. From then on no commit
 * makes another one, so whatever is there when this begins is all there is.
 *
 * @param actor the application that deleted it
 */
// Requirements: APP-508
export async function endSessionsOf(
  context: SessionsContext,
  store: TenantStore,
  application: string,
  actor: string,
): Promise<void> {
  const query = matchTerm(sessionsOfTerm(store, application))
  let afterUs = 0
  for (;;) {
    const options = {
      nowMs: context.nowUs() / 1000,
      offset: 0,
      limit: batchSize,
      oldestFirst: true,
      afterUs,
    }
    const { records } = await store.findReadable<SessionRecord>('session', query, options)
    const last = records.at(-1)
    if (!last) return
    afterUs = last.createdUs
    await Promise.all(records.map(session => endForSure(context, store, session, actor)))
  }
}

async function endForSure(
  context: SessionsContext,
  store: TenantStore,
  found: OpenedRecord<SessionRecord>,
  actor: string,
): Promise<void> {
  let session: OpenedRecord<SessionRecord> | undefined = found
  while (session && !(await end(context, store, session, { operation: 'session:delete', actor }))) {
    // It was authorized in this moment, or is gone.
    session = await store.get<SessionRecord>('session', found.value.id)
  }
}

async function end(
  context: SessionsContext,
  store: TenantStore,
  { value, version }: OpenedRecord<SessionRecord>,
  action: { readonly operation: string; readonly actor: string | null },
): Promise<boolean> {
  const { id, key_digest, nonce_digest } = value
  const root = await context.store.root(context.nowUs())
  const result = await context.store.commit(
    [
      store.remove('session', id, version),
      ...(await root.removal('key', key_digest)),
      ...(await store.removal('nonce', nonce_digest)),
      auditEntry(store, context.random, { ...action, entity_type: 'session', entity_id: id }),
    ],
    context.nowUs(),
  )
  return result.ok
}
