import { gap, type Layer, Pieces } from './layer.ts'

/** Matches what URLs, forms, JSON, source code and HTML put in the place of a character; and the zero bytes of UTF-16. */
const escapes =
  /((?:%[\da-fA-F]{2})+|(?:\\x[\da-fA-F]{2})+)|\+|\\(?:u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|(["'\\/bfnrt]))|&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp));|\0/g

const letters: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
}

/** Returns a text with the escapes of one kind decoded, for each kind that it has: `%`, `&` or `\\"`, for instance. */
export function unescapedByKind(text: string): string[] {
  const kinds = new Set([...text.matchAll(escapes)].map(kindOf))
  return [...kinds].map(kind =>
    text.replace(escapes, (...given) => {
      const match = given as unknown as RegExpExecArray
      return kindOf(match) === kind ? decode(match) : match[0]
    }),
  )
}

const kindOf = ([whole]: RegExpExecArray) => whole.slice(0, whole.startsWith('\\') ? 2 : 1)

/**
 * Returns the surroundings of all escapes of a text with these decoded: once as a form has them, in which a plus is a
 * space, and once as all others have them.
 * @param reach the length of the longest text that is searched for
 */
export function decodeEscapes(text: string, reach: number): Layer[] {
  const others = decodeWith(text, reach, false)
  const form = text.includes('+') ? decodeWith(text, reach, true) : undefined
  return [others ?? [], form ?? []].flat()
}

function decodeWith(text: string, reach: number, isForm: boolean): Layer | undefined {
  const pieces = new Pieces()
  let end = 0
  for (const found of text.matchAll(escapes)) {
    if (found[0] === '+' && !isForm) continue
    const from = Math.max(end, found.index - reach)
    if (!pieces.isEmpty && from > end + reach) {
      pieces.add(text.slice(end, end + reach), end)
      pieces.add(gap, end + reach)
      pieces.add(text.slice(from, found.index), from)
    } else {
      const start = pieces.isEmpty ? from : end
      pieces.add(text.slice(start, found.index), start)
    }
    const decoded = decode(found)
    pieces.add(decoded, found.index, found[0].length / Math.max(1, decoded.length))
    end = found.index + found[0].length
  }
  if (pieces.isEmpty) return undefined
  pieces.add(text.slice(end, end + reach), end)
  return pieces.toLayer((from, to) => spellingOf(text.slice(from, to)))
}

function decode([whole, bytes, unit, point, letter, decimal, hex, entity]: RegExpExecArray): string {
  if (bytes !== undefined) return textOf(Buffer.from(bytes.replaceAll(/%|\\x/gi, ''), 'hex'))
  if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16))
  if (letter !== undefined) return letters[letter] ?? letter
  if (entity !== undefined) return entities[entity.toLowerCase()] ?? whole
  const code = point ?? hex ?? decimal
  if (code === undefined) return whole === '+' ? ' ' : ''
  const number = Number.parseInt(code, decimal === undefined ? 16 : 10)
  return number <= 0x10ffff ? String.fromCodePoint(number) : whole
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes bytes as UTF-8, or else as Latin-1. */
function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return bytes.toString('latin1')
  }
}

function spellingOf(encoded: string) {
  const [first] = /%[\da-f]|[\\+&\0]/i.exec(encoded) ?? []
  if (first === '\\') return 'json'
  if (first === '&') return 'html'
  return first === '\0' ? 'utf16' : first === undefined ? 'plain' : 'url'
}
