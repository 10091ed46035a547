import type { Digest } from '../../../port/port.ts'
import { addOffset, encodeBlock, type OwnBlock } from '../bitmap.ts'
import { entriesOf } from '../changes.ts'
import { blockKey, blockSize, type KeyedCollection, liveTerm, termPrefix } from '../keys.ts'
import type { Header } from '../record.ts'
import { Batches } from './batches.ts'
import { documentsInOrder } from './documents.ts'
import type { Verification } from './verification.ts'

/** The documents of up to 4096 consecutive ordinals; times in microseconds. */
export interface Block {
  readonly number: number
  /** Creation of the first and of the last document. */
  readonly firstUs: number
  lastUs: number
  /** The latest stamp, including modifications. */
  newestUs: number
  newestOrdinal: number
}

const mostAtOnce = 10_000

/** Writes the index entries of a collection to the scratch database. Returns the blocks that have documents. */
export async function deriveIndex(
  verification: Verification,
  place: KeyedCollection,
): Promise<readonly Block[]> {
  const { collection } = place
  const derived = new Batches(verification.scratch)
  const blocks: Block[] = []
  let images = new Map<Digest, OwnBlock>()
  const endBlock = () => {
    for (const [term, image] of images) {
      const key = blockKey(termPrefix(collection, term), blocks.at(-1)?.number ?? 0)
      derived.put(key, encodeBlock(image) as Buffer)
    }
    images = new Map()
  }
  for await (const [id, header] of documentsInOrder(verification, place)) {
    const offset = header.ordinal % blockSize
    const number = (header.ordinal - offset) / blockSize
    if (blocks.at(-1)?.number !== number) {
      endBlock()
      blocks.push({ number, firstUs: header.createdUs, lastUs: 0, newestUs: 0, newestOrdinal: 0 })
    }
    include(blocks.at(-1) as Block, header)
    for (const term of [liveTerm, ...header.terms]) {
      images.set(term, addOffset(images.get(term) ?? [], offset))
    }
    for (const [key, value] of entriesOf(collection, id, header)) derived.put(key, value)
    await derived.flush(mostAtOnce)
  }
  endBlock()
  await derived.flush()
  return blocks
}

function include(block: Block, { ordinal, createdUs, modifiedUs = 0 }: Header): void {
  block.lastUs = createdUs
  block.newestUs = Math.max(block.newestUs, createdUs, modifiedUs)
  block.newestOrdinal = ordinal
}
