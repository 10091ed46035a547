import { anchorKey, blockOfKey, type CollectionKey, counterKey, keysOfSort, stampOfKey } from '../keys.ts'
import { decodeCounters, encodeCounters, noCounters } from '../record.ts'
import type { Block } from './derive.ts'
import type { Verification } from './verification.ts'

/**
 * A block with documents has one anchor, with a stamp after the previous block's documents and not after its own: that
 * of the block's first document, which may be removed since. Anchors of empty blocks stay, because the next document
 * may come into such a block, and would not write an anchor.
 */
export async function verifyAnchors(
  { level, repairs, findings }: Verification,
  collection: CollectionKey,
  blocks: readonly Block[],
): Promise<void> {
  const anchors = new Map<number, string[]>()
  for await (const key of level.keys(keysOfSort(collection, 'a'))) {
    anchors.set(blockOfKey(key), [...(anchors.get(blockOfKey(key)) ?? []), key])
  }
  let previousUs = -1
  for (const { number, firstUs, lastUs } of blocks) {
    findings.entries++
    const own = anchors.get(number) ?? []
    const fits = own.every(key => stampOfKey(key) <= firstUs && stampOfKey(key) > previousUs)
    previousUs = lastUs
    if (fits && own.length === 1) continue
    findings[own.length > 0 ? 'different' : 'missing']++
    for (const key of own) repairs.del(key)
    repairs.put(anchorKey(collection, firstUs, number), Buffer.alloc(0))
  }
  await repairs.flush()
}

/** Ensures that new documents get ordinals and stamps that were never used. */
export async function verifyCounters(
  { level, repairs, findings, unreliable }: Verification,
  collection: CollectionKey,
  blocks: readonly Block[],
): Promise<void> {
  const ordinals = [...unreliable.of(collection).ordinals, ...blocks.map(block => block.newestOrdinal)]
  if (ordinals.length === 0) return
  findings.entries++
  const value = await level.get(counterKey(collection))
  const { nextOrdinal, lastUs, lastCreatedUs } = value ? decodeCounters(value) : noCounters
  const expected = encodeCounters({
    nextOrdinal: max([nextOrdinal, ...ordinals.map(ordinal => ordinal + 1)]),
    lastUs: max([lastUs, ...blocks.map(block => block.newestUs)]),
    lastCreatedUs: max([lastCreatedUs, ...blocks.map(block => block.lastUs)]),
  })
  if (value?.equals(expected)) return
  findings[value ? 'different' : 'missing']++
  repairs.put(counterKey(collection), expected)
  await repairs.flush()
}

const max = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.max(a, b))
