import type { Change, DocumentState } from '../port/decide.ts'
import type { Digest } from '../port/port.ts'
import { type Block, blockSize } from './bits.ts'
import { liveTerm } from './search.ts'

/** The part of a document that the index depends on. */
interface Indexed extends DocumentState {
  ordinal: number
  readonly terms: readonly Digest[]
}

/** All that a group of commits changes for the same 4096 documents: see `changed` for the numbers. */
export interface Edits<Name> {
  readonly collection: Name
  readonly block: number
  readonly terms: Map<Digest, number[]>
}

/** The blocks after such changes; `undefined` where one is empty. */
export interface NewBlocks<Name> {
  readonly collection: Name
  readonly block: number
  readonly images: ReadonlyMap<Digest, Block | undefined>
  /** The terms that had no block before. */
  readonly added: ReadonlySet<Digest>
}

type IndexChange<Name extends string> = Pick<Change<Indexed, Name>, 'collection' | 'before' | 'after'>

export function editsOf<Name extends string>(changes: readonly IndexChange<Name>[]): Edits<Name>[] {
  const places = new Map<string, Edits<Name>>()
  for (const { collection, before, after } of changes) {
    const { ordinal } = (after ?? before) as Indexed
    const offset = ordinal % blockSize
    const block = (ordinal - offset) / blockSize
    const name = collection + block
    const place = places.get(name) ?? { collection, block, terms: new Map() }
    places.set(name, place)
    const add = (term: Digest, change: number) => {
      const own = place.terms.get(term)
      if (own) own.push(change)
      else place.terms.set(term, [change])
    }
    if (!before || !after) add(liveTerm, after ? offset : ~offset)
    for (const term of without(before, after)) add(term, ~offset)
    for (const term of without(after, before)) add(term, offset)
  }
  return [...places.values()]
}

function without(one: Indexed | undefined, other: Indexed | undefined): readonly Digest[] {
  if (!one || !other) return one?.terms ?? []
  const known = new Set(other.terms)
  return one.terms.filter(term => !known.has(term))
}
