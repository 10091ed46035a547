import {
  anchorKey,
  blockOfKey,
  blockSize,
  counterKey,
  digestOfKey,
  documentKey,
  keysOfSort,
  ordinalKey,
  ordinalOfKey,
  stampOfKey,
} from '../keys.ts'
import {
  cutOffVersion,
  decodeCounters,
  decodeHeader,
  decodeOrdinal,
  decodePlace,
  encodeCounters,
  encodePlace,
  noCounters,
} from '../record.ts'
import { findStrays } from './strays.ts'
import {
  type BlockTimes,
  type PlacedBlock,
  readsAtOnce,
  type Verification,
  verifyBlock,
} from './verify-block.ts'

/** Verifies the index of one collection against its documents, block by block, so that memory stays small. */
export async function verifyCollection(verification: Verification): Promise<void> {
  await placeDocuments(verification)
  const anchors = await readAnchors(verification)
  let present = 0
  let newestUs = 0
  let newestOrdinal = -1
  let previous: BlockTimes | undefined
  for await (const placed of placedBlocks(verification)) {
    const { times, ...summary } = await verifyBlock(verification, placed)
    present += summary.present
    newestOrdinal = Math.max(newestOrdinal, summary.newestOrdinal)
    if (!times) continue
    newestUs = Math.max(newestUs, times.newestUs)
    verifyAnchor(verification, placed.block, anchors.get(placed.block) ?? [], times, previous)
    previous = times
  }
  if (newestOrdinal >= 0) await verifyCounters(verification, newestOrdinal, newestUs, previous?.lastUs)
  await verification.repairs.flush()
  await findStrays(verification, present)
  await verification.repairs.flush()
}

/** Restores missing ordinal entries from the ordinals in the documents. */
async function placeDocuments({ level, collection, repairs, findings }: Verification): Promise<void> {
  const documents = level.iterator(keysOfSort(collection, 'd'))
  try {
    for (;;) {
      const some = (await documents.nextv(readsAtOnce))
        .map(([key, value]) => ({ id: digestOfKey(key), ...decodeHeader(value) }))
        .filter(({ version }) => version !== cutOffVersion)
      if (some.length === 0) break
      const places = await level.getMany(some.map(({ ordinal }) => ordinalKey(collection, ordinal)))
      for (const [index, { id, ordinal, createdUs }] of some.entries()) {
        const place = places[index]
        const holder = place && decodePlace(place).id
        if (holder === id) continue
        const other = holder && (await level.get(documentKey(collection, holder)))
        const isHeld =
          other && decodeHeader(other).version !== cutOffVersion && decodeOrdinal(other) === ordinal
        if (isHeld) {
          findings.displaced++
          continue
        }
        findings[place ? 'different' : 'missing']++
        repairs.put(ordinalKey(collection, ordinal), encodePlace(id, createdUs))
      }
    }
  } finally {
    await documents.close()
  }
  await repairs.flush()
}

async function* placedBlocks({ level, collection }: Verification): AsyncGenerator<PlacedBlock> {
  let block = 0
  let places: [string, Buffer, number][] = []
  for await (const [key, value] of level.iterator(keysOfSort(collection, 'o'))) {
    const ordinal = ordinalOfKey(key)
    const own = Math.floor(ordinal / blockSize)
    if (own !== block && places.length > 0) {
      yield { block, places }
      places = []
    }
    block = own
    places.push([key, value, ordinal])
  }
  if (places.length > 0) yield { block, places }
}

async function readAnchors({ level, collection }: Verification): Promise<Map<number, string[]>> {
  const anchors = new Map<number, string[]>()
  for await (const key of level.keys(keysOfSort(collection, 'a'))) {
    const block = blockOfKey(key)
    anchors.set(block, [...(anchors.get(block) ?? []), key])
  }
  return anchors
}

/**
 * A block with documents has one anchor, with a stamp after the previous block's documents and not after its own: that
 * of the block's first document, which may be removed since. Anchors of empty blocks stay, because the next document
 * may come into such a block, and would not write an anchor.
 */
function verifyAnchor(
  { collection, repairs, findings }: Verification,
  block: number,
  anchors: readonly string[],
  { firstUs }: BlockTimes,
  previous: BlockTimes | undefined,
): void {
  findings.entries++
  const fits = (key: string) => stampOfKey(key) <= firstUs && stampOfKey(key) > (previous?.lastUs ?? -1)
  const [anchor] = anchors
  if (anchor !== undefined && anchors.length === 1 && fits(anchor)) return
  findings[anchors.length > 0 ? 'different' : 'missing']++
  for (const key of anchors) repairs.del(key)
  repairs.put(anchorKey(collection, firstUs, block), Buffer.alloc(0))
}

/** Ensures that new documents get ordinals and stamps that were never used. */
async function verifyCounters(
  { level, collection, repairs, findings }: Verification,
  newestOrdinal: number,
  newestUs: number,
  newestCreatedUs = -1,
): Promise<void> {
  findings.entries++
  const value = await level.get(counterKey(collection))
  const { nextOrdinal, lastUs, lastCreatedUs } = value ? decodeCounters(value) : noCounters
  if (nextOrdinal > newestOrdinal && lastUs >= newestUs && lastCreatedUs >= newestCreatedUs) return
  findings[value ? 'different' : 'missing']++
  const counters = {
    nextOrdinal: Math.max(nextOrdinal, newestOrdinal + 1),
    lastUs: Math.max(lastUs, newestUs),
    lastCreatedUs: Math.max(lastCreatedUs, newestCreatedUs),
  }
  repairs.put(counterKey(collection), encodeCounters(counters))
}
