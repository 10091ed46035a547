import type { Digest } from '../../../port.ts'
import { decodeBlock, listOffsets } from '../bitmap.ts'
import {
  agendaOfAll,
  blockOfKey,
  blockSize,
  documentKey,
  keysOfSort,
  liveTerm,
  ordinalKey,
  ordinalOfKey,
  partsOfAgendaKey,
  termOfKey,
} from '../keys.ts'
import type { LevelDb } from '../leveldb.ts'
import { cutOffVersion, decodeHeader, decodePlace } from '../record.ts'
import { type Expected, expectedOf } from './expected.ts'
import type { Findings } from './findings.ts'
import type { Repairs } from './repairs.ts'
import { countedSorts, type Verification } from './verify-block.ts'

/** `'unknown'` if the document was cut off, as its entries may be right. */
type Owner = Expected | 'unknown' | undefined

/**
 * Removes entries that belong to no document. Only where there are more entries than `present` is the document of
 * each entry looked up, which takes far longer.
 * @param present the number of entries that belong to documents
 */
export async function findStrays(verification: Verification, present: number): Promise<void> {
  const { level, collection, repairs, findings } = verification
  let there = 0
  for (const sort of countedSorts) {
    for await (const _ of level.keys(keysOfSort(collection, sort))) there++
  }
  if (there === present) return
  for (const sort of countedSorts) {
    for await (const [key, value] of level.iterator(keysOfSort(collection, sort))) {
      const belongs =
        sort === 'b'
          ? await isOfSome(verification, key, value)
          : await isOfOne(verification, sort, key, value)
      if (belongs) continue
      findings.stray++
      repairs.del(key)
    }
    await repairs.flush()
  }
}

async function isOfOne(
  verification: Verification,
  sort: 'm' | 'e' | 'u',
  key: string,
  value: Buffer,
): Promise<boolean> {
  const owner =
    sort === 'u'
      ? await ownerOf(verification, value.toString('latin1') as Digest)
      : await ownerAt(verification, ordinalOfKey(key))
  return owner === 'unknown' || (owner?.entries.has(key) ?? false)
}

/** True if any document of the block has the term. Wrong bits in it were corrected before. */
async function isOfSome(verification: Verification, key: string, value: Buffer): Promise<boolean> {
  const [term, block] = [termOfKey(key), blockOfKey(key)]
  const image = decodeBlock(value)
  for (const offset of image instanceof Uint32Array ? listOffsets(image) : image) {
    const owner = await ownerAt(verification, block * blockSize + offset)
    if (owner === 'unknown' || (owner && (term === liveTerm || owner.header.terms.includes(term))))
      return true
  }
  return false
}

async function ownerAt(verification: Verification, ordinal: number): Promise<Owner> {
  const { level, collection } = verification
  const place = await level.get(ordinalKey(collection, ordinal))
  const id = place && decodePlace(place).id
  const owner = id && (await ownerOf(verification, id))
  return owner === 'unknown' || owner?.header.ordinal === ordinal ? owner : undefined
}

async function ownerOf(verification: Verification, id: Digest): Promise<Owner> {
  const { level, collection, contentOf } = verification
  const value = await level.get(documentKey(collection, id))
  return value && ((await expectedOf(verification, id, value, contentOf)) ?? 'unknown')
}

/** Removes agenda entries of documents that do not exist, or are due at another time. */
export async function findStrayAgenda(level: LevelDb, repairs: Repairs, findings: Findings): Promise<void> {
  for await (const [key, value] of level.iterator(agendaOfAll)) {
    const { collection, dueMs } = partsOfAgendaKey(key)
    const document = await level.get(documentKey(collection, value.toString('latin1') as Digest))
    const header = document && decodeHeader(document)
    if (header?.version === cutOffVersion) continue
    if (header?.dueMs === dueMs && header.ordinal === ordinalOfKey(key)) continue
    findings.stray++
    repairs.del(key)
  }
  await repairs.flush()
}

/** Removes keys that this version does not use. */
export async function findStrayKeys(
  level: LevelDb,
  range: { gte: string; lt: string },
  repairs: Repairs,
  findings: Findings,
): Promise<void> {
  for await (const key of level.keys(range)) {
    findings.stray++
    repairs.del(key)
    if (findings.stray % 1000 === 0) await repairs.flush()
  }
  await repairs.flush()
}
