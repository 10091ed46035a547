import type { Digest } from '../../../port/port.ts'
import { addOffset, decodeBlock, encodeBlock, offsetsOf } from '../bitmap.ts'
import {
  agendaOfAll,
  blockOfKey,
  blockSize,
  type CollectionKey,
  collectionOfAgendaKey,
  collectionOfKey,
  ordinalOfKey,
  sortOfKey,
} from '../keys.ts'
import { digestLength } from '../record.ts'

interface Documents {
  readonly ids: Set<Digest>
  /** As far as they are known. */
  readonly ordinals: Set<number>
}

/** Documents that were cut off, or that share an ordinal. Their index entries stay, as they may be right. */
export class Unreliable {
  readonly #collections = new Map<CollectionKey, Documents>()

  of(collection: CollectionKey): Documents {
    const known = this.#collections.get(collection) ?? { ids: new Set(), ordinals: new Set() }
    this.#collections.set(collection, known)
    return known
  }

  /** Returns what should be stored at a key: `expected` by the other documents, and what these may have there. */
  include(key: string, expected: Buffer | undefined, actual: Buffer): Buffer | undefined {
    const isAgenda = key.startsWith(agendaOfAll.gte)
    const { ids, ordinals } = this.of(isAgenda ? collectionOfAgendaKey(key) : collectionOfKey(key))
    if (ids.size === 0) return expected
    const sort = isAgenda ? '' : sortOfKey(key)
    if (sort === 'b') {
      const start = blockOfKey(key) * blockSize
      const kept = offsetsOf(decodeBlock(actual)).filter(offset => ordinals.has(start + offset))
      return encodeBlock(kept.reduce(addOffset, expected ? [...offsetsOf(decodeBlock(expected))] : []))
    }
    const isKept =
      sort === 'c' || sort === 'e' || sort === 'm'
        ? ordinals.has(ordinalOfKey(key))
        : ids.has(actual.toString('latin1', 0, digestLength) as Digest)
    return expected ?? (isKept ? actual : undefined)
  }
}
