import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  agendaOfAll,
  type CollectionKey,
  collectionOfKey,
  collectionsBehind,
  keysOfSort,
  placeOfCollection,
} from '../keys.ts'
import { type LevelDb, openLevelDb } from '../leveldb.ts'
import { Batches } from './batches.ts'
import { compareEntries } from './compare.ts'
import { verifyCounters } from './counters.ts'
import { deriveIndex } from './derive.ts'
import { Findings } from './findings.ts'
import { Unreliable } from './unreliable.ts'
import type { ReindexOptions, Verification } from './verification.ts'

/**
 * Verifies every entry of the index against the documents, and the documents against their records. Documents are
 * taken as correct: the index is derived from them into a second database beside the first, and the two are compared
 * key by key. No other writes may happen at the same time. A repair that was cut off may be repeated.
 */
export async function reindex(level: LevelDb, options: ReindexOptions): Promise<Findings> {
  const folder = join(level.location, 'reindex')
  await rm(folder, { recursive: true, force: true })
  const scratch = await openLevelDb(folder, true)
  try {
    const repairs = new Batches(options.repair ? level : undefined, true)
    const findings = new Findings()
    await verify({ ...options, level, scratch, repairs, findings, unreliable: new Unreliable() })
    return findings
  } finally {
    await scratch.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function verify(verification: Verification): Promise<void> {
  const { level } = verification
  for (let at = await nextCollection(level); at !== undefined; at = await nextCollection(level, at)) {
    const place = placeOfCollection(at)
    if (!place) continue
    await verifyCounters(verification, at, await deriveIndex(verification, place))
    for (const sort of ['b', 'c', 'e', 'm', 'o', 'u'] as const) {
      await compareEntries(verification, keysOfSort(at, sort))
    }
  }
  await compareEntries(verification, agendaOfAll)
}

async function nextCollection(level: LevelDb, behind?: CollectionKey): Promise<CollectionKey | undefined> {
  const [key] = await level.keys({ ...collectionsBehind(behind), limit: 1 }).all()
  return key === undefined ? undefined : collectionOfKey(key)
}
