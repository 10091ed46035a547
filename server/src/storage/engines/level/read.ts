import { oftenRead } from '../../port/kinds.ts'
import type { Digest, DocumentKind, StoredDocument } from '../../port/port.ts'
import type { Epoch } from './epoch.ts'
import { agendaRange, documentKey, type KeyedCollection, tenantOfAgendaKey } from './keys.ts'
import type { PublishedState } from './published-state.ts'
import { decodeDocument } from './record.ts'

type Documents = (StoredDocument | undefined)[]

/**
 * Reads documents by id, and keeps single ones in memory where they are likely to be read again. Returns a promise only
 * where LevelDB does: every request reads its key and application here, and a promise for each would take longer.
 */
export function readByIds(
  state: PublishedState,
  kind: DocumentKind,
  tenant: string,
  ids: readonly Digest[],
): Documents | Promise<Documents> {
  const { epoch, recent } = state
  const collection = state.keys.of(kind, tenant)
  const [only] = ids
  if (only === undefined || ids.length > 1 || !oftenRead.has(kind))
    return readDocuments(epoch, { kind, tenant, collection }, ids)
  const key = documentKey(collection, only)
  const kept = recent.get(key)
  if (kept) return [kept]
  const keep = (read: Documents) => {
    // A write may have been published while this was read.
    if (read[0] && state.epoch === epoch) recent.set(key, read[0])
    return read
  }
  const reading = readDocuments(epoch, { kind, tenant, collection }, ids)
  return reading instanceof Promise ? reading.then(keep) : keep(reading)
}

/**
 * Returns a document of a kind that is often read, if it was read a moment ago and has not changed since. Does not count
 * as its use, which would take 0.3 µs of every request: what is dropped too soon is read again.
 */
export function recentDocument(
  { keys, recent }: PublishedState,
  kind: DocumentKind,
  tenant: string,
  id: Digest,
): StoredDocument | undefined {
  return oftenRead.has(kind) ? recent.peek(documentKey(keys.of(kind, tenant), id)) : undefined
}

export function readDocuments(
  epoch: Epoch,
  { kind, tenant, collection }: KeyedCollection,
  ids: readonly Digest[],
): Documents | Promise<Documents> {
  const decode = (values: readonly (Buffer | undefined)[]) =>
    ids.map((id, index) => {
      const value = values[index]
      return value && decodeDocument(kind, tenant, id, value)
    })
  const reading = epoch.read(ids.map(id => documentKey(collection, id)))
  return reading instanceof Promise ? reading.then(decode) : decode(reading)
}

/** Reads the due documents of a kind, over all tenants. */
export async function findDue(
  state: PublishedState,
  kind: DocumentKind,
  beforeMs: number,
  limit: number,
): Promise<StoredDocument[]> {
  const epoch = state.epoch.hold()
  try {
    const due: StoredDocument[] = []
    const before = Math.floor(Math.min(beforeMs, Number.MAX_SAFE_INTEGER))
    if (!(before >= 0) || limit <= 0) return due
    for await (const entries of epoch.entries(agendaRange(kind, before), Math.min(limit, 1000))) {
      const places = entries.slice(0, limit - due.length).map(([key, value]) => ({
        tenant: tenantOfAgendaKey(key),
        id: value.toString('latin1') as Digest,
      }))
      const keys = places.map(({ tenant, id }) => documentKey(state.keys.of(kind, tenant), id))
      const values = await epoch.read(keys)
      for (const [index, { tenant, id }] of places.entries()) {
        const value = values[index]
        if (!value) throw new Error('the agenda has a document that does not exist')
        due.push(decodeDocument(kind, tenant, id, value))
      }
      if (due.length >= limit) break
    }
    return due
  } finally {
    epoch.release()
  }
}
