import { isTokenId } from '../../contract/formats.ts'

/**
 * A reference to a token in a text: `{{ id }}`, or `{{ id | filter: argument }}` for a value made from the token's data.
 * `{{ token: id }}` is an object of the token's `id`, `type`, `data` and `metadata`, also for filters, as in
 * `{{ token: id | json: '$.metadata.customer' }}`; so an id that begins with `token: ` needs these words before it.
 *
 * An id contains no bar and no brace, so it ends at the first of either; it may contain quotes, dots, colons and spaces.
 * Spaces around it are not part of it. If no token has that id, only one space at each end is removed: so an id that
 * begins or ends with a space can be written as well. In filters, quoted text may contain anything, even `}}`. A `}}`
 * that closes nothing is text.
 */
export interface Reference {
  /** The id, and the id to try if no token has the first. */
  readonly ids: readonly [id: string, second?: string]
  /** Everything from the first bar on; empty if there is none. */
  readonly filters: string
  /** True for the object of the token, false for its data. */
  readonly whole: boolean
}

/** A piece of a text: literal text, or a reference. */
export type Piece = string | Reference

/** Malformed braces. The message says what is wrong with the text and quotes nothing of it. */
export class MalformedReference extends Error {
  override readonly name = 'MalformedReference'
}

/** Splits a text into pieces. Returns `undefined` if it names no token. @throws {MalformedReference} */
export function readReferences(text: string): readonly Piece[] | undefined {
  const reading = readingOf(text)
  for (;;) {
    const step = reading.next()
    if (step.done) return step.value
  }
}

/** The references between two turns of others. */
const referencesPerTurn = 1_000

/** Does the same, and yields on the way. */
// Requirements: INV-505
export function* readingOf(text: string): Generator<void, readonly Piece[] | undefined> {
  const pieces: Piece[] = []
  let from = 0
  for (const { reference, open, end } of referencesIn(text)) {
    if (open > from) pieces.push(text.slice(from, open))
    pieces.push(reference)
    from = end
    if (pieces.length % referencesPerTurn === 0) yield
  }
  if (from === 0) return undefined
  if (from < text.length) pieces.push(text.slice(from))
  return pieces
}

/**
 * Splits a text at its references: those are at odd positions, literal text at even ones. Yields on the way.
 * @throws {MalformedReference}
 */
export function* splittingOf(text: string): Generator<void, readonly string[]> {
  const texts: string[] = []
  let from = 0
  for (const { open, end } of referencesIn(text)) {
    texts.push(text.slice(from, open), text.slice(open, end))
    from = end
    if (texts.length % referencesPerTurn === 0) yield
  }
  texts.push(text.slice(from))
  return texts
}

function* referencesIn(text: string) {
  const known = new Map<string, Named>()
  let from = 0
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', from)) {
    const { reference, end } = readReference(text, open + 2, known)
    yield { reference, open, end }
    from = end
  }
}

const beforeBarOrBrace = /[^|{}]*/y

function readReference(
  text: string,
  start: number,
  known: Map<string, Named>,
): { reference: Reference; end: number } {
  beforeBarOrBrace.lastIndex = start
  beforeBarOrBrace.test(text)
  const at = beforeBarOrBrace.lastIndex
  const between = text.slice(start, at)
  if (at === text.length) throw new MalformedReference(notClosed)
  const closing = text[at] === '|' ? endOfFilters(text, at) : at
  if (!text.startsWith('}}', closing)) throw new MalformedReference('has a single brace within "{{ }}"')
  // A text may name the same token a hundred thousand times.
  const named = known.get(between) ?? namedIn(between)
  known.set(between, named)
  return { reference: { ...named, filters: text.slice(at, closing) }, end: closing + 2 }
}

const notClosed = 'has "{{" without "}}"'

/** Returns the position of the `}}` that closes the filters at `start`. */
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

type Named = Pick<Reference, 'ids' | 'whole'>

function namedIn(between: string): Named {
  const [, whole] = /^\s*token:(\s+\S.*)$/s.exec(between) ?? []
  return { ids: idsIn(whole ?? between), whole: whole !== undefined }
}

function idsIn(between: string): Reference['ids'] {
  const id = between.trim()
  const padded = between.startsWith(' ') && between.endsWith(' ') && between.length > 2
  const second = padded ? between.slice(1, -1) : id
  if (second !== id && isTokenId(second)) return isTokenId(id) ? [id, second] : [second]
  if (isTokenId(id)) return [id]
  throw new MalformedReference(
    id === '' ? 'has "{{ }}" without a token id' : 'contains text inside "{{ }}" that is not a token id',
  )
}
