import { oftenRead } from '../../kinds.ts'
import type { Digest, DocumentKind, StoredDocument } from '../../port.ts'
import type { Epoch } from './epoch.ts'
import { agendaRange, type CollectionKey, documentKey, tenantOfAgendaKey } from './keys.ts'
import { decodeDocument } from './record.ts'
import type { PublishedState } from './state.ts'

/** A collection, with its key. */
export interface KeyedCollection {
  readonly kind: DocumentKind
  readonly tenant: string
  readonly collection: CollectionKey
}

/** Reads one document by id, and keeps it in memory where it is likely to be read again. */
export async function readDocument(
  state: PublishedState,
  kind: DocumentKind,
  tenant: string,
  id: Digest,
): Promise<StoredDocument | undefined> {
  const key = documentKey(state.keys.of(kind, tenant), id)
  const kept = oftenRead.has(kind) ? state.recent.get(key) : undefined
  if (kept) return kept
  const { epoch } = state
  const read = epoch.read([key])
  const [value] = read instanceof Promise ? await read : read
  if (!value) return undefined
  const document = decodeDocument(kind, tenant, id, value)
  // A write may have been published while this was read.
  if (state.epoch === epoch && oftenRead.has(kind)) state.recent.set(key, document)
  return document
}

export async function readDocuments(
  epoch: Epoch,
  { kind, tenant, collection }: KeyedCollection,
  ids: readonly Digest[],
): Promise<(StoredDocument | undefined)[]> {
  const read = epoch.read(ids.map(id => documentKey(collection, id)))
  const values = read instanceof Promise ? await read : read
  return ids.map((id, index) => {
    const value = values[index]
    return value && decodeDocument(kind, tenant, id, value)
  })
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
