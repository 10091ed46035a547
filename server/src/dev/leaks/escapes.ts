import { gap, type Layer, Pieces, type Spelling } from './layer.ts'

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
function unescapedByKind(text: string): string[] {
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

/** The most forms of a value that looks escaped itself. */
const mostUnescaped = 32

/** Of a longer spelling the beginning is searched for. */
export const longestSpelling = 400

/** Returns the spellings of a value that are searched for as they are, each once. Others are decoded first. */
export function spellingsOf(value: string): { readonly text: string; readonly spelling: Spelling }[] {
  const spelled = new Map<string, Spelling>()
  const add = (text: string, spelling: Spelling) => {
    const cut = text.slice(0, longestSpelling)
    if (!spelled.has(cut)) spelled.set(cut, spelling)
  }
  for (const text of unescapedOf(value)) add(text, 'plain')
  // Digits with other separators, or without any; but a number with a fraction is not the one without its point.
  const digits = /^\d+\.\d+$/.test(value) ? value : value.replaceAll(/(?<=\d)[ .\u00a0-](?=\d)/g, '')
  if (/^\d+$/.test(digits)) add(digits, 'separated')
  const bytes = Buffer.from(value)
  for (const encoding of ['base64', 'base64url'] as const) {
    for (const text of withinBase64(bytes, encoding)) add(text, 'base64')
  }
  const hex = bytes.toString('hex')
  add(hex, 'hex')
  add(hex.toUpperCase(), 'hex')
  return [...spelled].map(([text, spelling]) => ({ text, spelling }))
}

/**
 * Returns a value, and what decoding makes of one that looks escaped itself: each kind of escape may be decoded once more
 * than it was encoded. Backslashes at its end may be taken for the escape of what follows.
 */
function unescapedOf(value: string): Set<string> {
  const all = new Set([value])
  for (const text of all) {
    for (const unescaped of unescapedByKind(text)) if (all.size < mostUnescaped) all.add(unescaped)
  }
  for (const text of [...all]) {
    let end = text.length
    while (text[end - 1] === '\\') end--
    all.add(text.slice(0, end))
  }
  return all
}

/** Returns base64 of the bytes as it occurs within that of a longer text: it depends on where in three they begin. */
function withinBase64(bytes: Buffer, encoding: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map(before => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString(encoding)
      .replace(/={1,2}$/, '')
    // Characters at both ends have bits of what is beside the value.
    const from = Math.ceil((before * 8) / 6)
    const to = Math.floor(((before + bytes.length) * 8) / 6)
    return text.slice(from, to)
  })
}
