import { nextTurn } from '../../../../base/flow/event-loop.ts'
import { blockBits } from './fold-limits.ts'

/** The places of documents with certain terms within a block. */
interface Block {
  readonly stamps: readonly string[]
  /** Places by the term, both as the database writes them. */
  readonly terms: ReadonlyMap<string, readonly number[]>
}

/** A document as the database writes it: `{term,term}`. */
export type DocumentToFold = readonly [createdUs: string, modifiedUs: string | null, terms: string]

/** Documents whose terms are read before others get their turn. */
const step = 500

export async function blockOf(documents: readonly DocumentToFold[]): Promise<Block> {
  const terms = new Map<string, number[]>()
  for (const [place, [, , list]] of documents.entries()) {
    if (place % step === step - 1) await nextTurn()
    for (const term of termList(list)) {
      const places = terms.get(term)
      if (places) places.push(place)
      else terms.set(term, [place])
    }
  }
  return { stamps: documents.map(([createdUs]) => createdUs), terms }
}

/** Parses an array of UUIDs. */
export function termList(text: string): string[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',')
}

/** Bits in the order of the database, whose first is the highest of the first byte, as hexadecimal digits. */
export function hexOf(places: Iterable<number>): string {
  const bytes = Buffer.alloc(blockBits / 8)
  for (const place of places) bytes[place >> 3] = (bytes[place >> 3] ?? 0) | (0x80 >> (place & 7))
  return bytes.toString('hex')
}
