import { isTokenId } from '../../contract/token-id.ts'

/**
 * How a text names tokens: `{{ id }}`, or `{{ id | filter: argument }}` for something made of the token's data.
 *
 * An id holds no bar and no brace, so it ends at the first of either; quotes, dots, colons and spaces in it are
 * its own. Blanks around it are not part of it. Only where no token has that id, one space at each end is taken
 * for the braces' and the rest for the id's: so an id that begins or ends with a blank can be written as well.
 * In the filters, what stands in quotes may hold anything, `}}` too. A `}}` that closes nothing is text.
 */
export interface Reference {
  /** The id it means, and another one it means where there is no token of the first. */
  readonly ids: readonly [id: string, second?: string]
  /** Everything from the first bar on; empty where there is none. */
  readonly filters: string
}

/** A piece of a text: itself, or a place where data goes. */
export type Piece = string | Reference

/** Braces that cannot be read. The message says what is wrong with the text and quotes nothing of it. */
export class MalformedReference extends Error {
  override readonly name = 'MalformedReference'
}

/** The pieces of a text, or `undefined` where it names no token. @throws {MalformedReference} */
// Requirements: INV-505
export function readReferences(text: string): readonly Piece[] | undefined {
  let open = text.indexOf('{{')
  if (open < 0) return undefined
  const pieces: Piece[] = []
  const known = new Map<string, Reference['ids']>()
  let from = 0
  while (open >= 0) {
    if (open > from) pieces.push(text.slice(from, open))
    const { reference, end } = readReference(text, open + 2, known)
    pieces.push(reference)
    from = end
    open = text.indexOf('{{', from)
  }
  if (from < text.length) pieces.push(text.slice(from))
  return pieces
}

const beforeBarOrBrace = /[^|{}]*/y

function readReference(
  text: string,
  start: number,
  known: Map<string, Reference['ids']>,
): { reference: Reference; end: number } {
  beforeBarOrBrace.lastIndex = start
  const between = beforeBarOrBrace.exec(text)?.[0] ?? ''
  const at = start + between.length
  if (at === text.length) throw new MalformedReference(notClosed)
  const closing = text[at] === '|' ? endOfFilters(text, at) : at
  if (!text.startsWith('}}', closing)) throw new MalformedReference('has a single brace within "{{ }}"')
  // A text may name the same token a hundred thousand times.
  const ids = known.get(between) ?? idsIn(between)
  known.set(between, ids)
  return { reference: { ids, filters: text.slice(at, closing) }, end: closing + 2 }
}

const notClosed = 'has "{{" without "}}"'

/** Where the `}}` is that closes the filters which begin at `start`. */
function endOfFilters(text: string, start: number): number {
  let quote = ''
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at)
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (character === '\\') at++
    } else if (character === '"' || character === "'") quote = character
    else if (character === '}' && text[at + 1] === '}') return at
  }
  throw new MalformedReference(quote === '' ? notClosed : `${notClosed} behind a quote that is not closed`)
}

function idsIn(between: string): Reference['ids'] {
  const padded = between.startsWith(' ') && between.endsWith(' ') && between.length > 2
  const readings = [between.trim(), ...(padded ? [between.slice(1, -1)] : [])]
  const [id, second] = [...new Set(readings)].filter(isTokenId)
  if (id !== undefined) return second === undefined ? [id] : [id, second]
  throw new MalformedReference(
    between.trim() === ''
      ? 'has "{{ }}" without a token id'
      : 'has something within "{{ }}" that is no token id',
  )
}
