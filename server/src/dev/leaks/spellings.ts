import { unescapedByKind } from './escapes.ts'
import type { Spelling } from './layer.ts'

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
