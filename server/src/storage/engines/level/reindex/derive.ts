import type { Digest } from '../../../port/port.ts'
import { addOffset, encodeBlock, type OwnBlock } from '../bitmap.ts'
import { entriesOf } from '../changes.ts'
import { blockKey, blockSize, type KeyedCollection, liveTerm, termPrefix } from '../keys.ts'
import { Batches } from './batches.ts'
import { documentsInOrder } from './documents.ts'
import type { Verification } from './verification.ts'

/** The last document of a collection, and the latest stamp, including modifications; -1 where there is none. */
export interface Newest {
  readonly ordinal: number
  readonly createdUs: number
  readonly us: number
}

const mostAtOnce = 10_000

/** Writes the index entries of a collection to the scratch database. */
export async function deriveIndex(verification: Verification, place: KeyedCollection): Promise<Newest> {
  const { collection } = place
  const derived = new Batches(verification.scratch, false)
  let newest: Newest = { ordinal: -1, createdUs: -1, us: -1 }
  let block = 0
  let images = new Map<Digest, OwnBlock>()
  const endBlock = () => {
    for (const [term, image] of images) {
      derived.put(blockKey(termPrefix(collection, term), block), encodeBlock(image) as Buffer)
    }
    images = new Map()
  }
  for await (const [id, header] of documentsInOrder(verification, place)) {
    const { ordinal, createdUs, modifiedUs = 0 } = header
    const offset = ordinal % blockSize
    if ((ordinal - offset) / blockSize !== block) endBlock()
    block = (ordinal - offset) / blockSize
    newest = { ordinal, createdUs, us: Math.max(newest.us, createdUs, modifiedUs) }
    for (const term of [liveTerm, ...header.terms]) {
      images.set(term, addOffset(images.get(term) ?? [], offset))
    }
    for (const [key, value] of entriesOf(collection, id, header)) derived.put(key, value)
    await derived.flush(mostAtOnce)
  }
  endBlock()
  await derived.flush()
  return newest
}
