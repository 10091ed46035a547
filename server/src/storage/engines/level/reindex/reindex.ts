import {
  type CollectionKey,
  collectionOfKey,
  collectionsBehind,
  placeOfCollection,
  registryKeys,
} from '../keys.ts'
import type { LevelDb } from '../leveldb.ts'
import { type ContentOf, type Findings, nothingFound } from './findings.ts'
import { Repairs } from './repairs.ts'
import { findStrayAgenda, findStrayKeys } from './strays.ts'
import { verifyCollection } from './verify-collection.ts'

export interface ReindexOptions {
  /** Corrects what differs. Without it, nothing is written. */
  readonly repair: boolean
  readonly contentOf: ContentOf
}

/**
 * Verifies every entry of the index against the documents, and the documents against their records. Documents are
 * taken as correct, and the index is made from them. No other writes may happen at the same time. A repair that was
 * cut off may be repeated.
 */
export async function reindex(level: LevelDb, { repair, contentOf }: ReindexOptions): Promise<Findings> {
  const findings = nothingFound()
  const repairs = new Repairs(level, repair)
  for (let at = await nextCollection(level); at !== undefined; at = await nextCollection(level, at)) {
    const place = placeOfCollection(at)
    if (place) await verifyCollection({ level, contentOf, repairs, findings, collection: at, ...place })
  }
  await findStrayAgenda(level, repairs, findings)
  // Last, because these keys mark a folder of the earlier format that needs a repair.
  await findStrayKeys(level, registryKeys, repairs, findings)
  return findings
}

async function nextCollection(level: LevelDb, behind?: CollectionKey): Promise<CollectionKey | undefined> {
  const [key] = await level.keys({ ...collectionsBehind(behind), limit: 1 }).all()
  return key === undefined ? undefined : collectionOfKey(key)
}
