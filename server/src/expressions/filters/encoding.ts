import { decodeUtf8 } from '../../base/json.ts'
import { toText } from '../text.ts'
import { type Filter, type FilterFamily, unsuitable } from './filter.ts'

/** A filter from text to text. `effort` is its cost relative to copying the text, in the worst case. */
function ofText(apply: (text: string) => string, effort = 1): Filter {
  return {
    takes: [0, 0],
    apply: (input, _, run) => {
      const text = toText(input, run)
      run.meter.characters(text.length * effort)
      return apply(text)
    },
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}
const characters = Object.fromEntries(
  Object.entries(entities).map(([character, entity]) => [entity, character]),
)

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character] ?? character)
}

function unescapeHtml(text: string): string {
  return text.replace(/&(?:amp|lt|gt|#34|#39);/g, entity => characters[entity] ?? entity)
}

/** Parts of HTML that browsers do not show: scripts, styles, comments and tags. Unclosed ones are kept. */
const blocks = [
  ['<script', '</script>'],
  ['<style', '</style>'],
  ['<!--', '-->'],
  ['<', '>'],
] as const

function stripHtml(text: string): string {
  let kept = ''
  let at = 0
  // Openers without a closer after them: looking for it again each time would take quadratic time.
  const open = new Set<string>()
  for (;;) {
    const start = text.indexOf('<', at)
    if (start < 0) return kept + text.slice(at)
    kept += text.slice(at, start)
    const end = endOfBlock(text, start, open)
    if (end < 0) return kept + text.slice(start)
    at = end
  }
}

function endOfBlock(text: string, start: number, open: Set<string>): number {
  for (const [opener, closer] of blocks) {
    if (open.has(opener) || !text.startsWith(opener, start)) continue
    const end = text.indexOf(closer, start + opener.length)
    if (end >= 0) return end + closer.length
    open.add(opener)
  }
  return -1
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw unsuitable('takes text in which every % begins an encoded character')
  }
}

function base64Decode(text: string, alphabet: RegExp): string {
  const bare = text.replace(/[\t\n\f\r ]|={1,2}$/g, '')
  const decoded =
    alphabet.test(bare) && bare.length % 4 !== 1 ? decodeUtf8(Buffer.from(bare, 'base64')) : undefined
  if (decoded === undefined) throw unsuitable('takes base64 of UTF-8 text')
  return decoded
}

/** The filters of Liquid that encode and decode text. */
export const encodingFilters: FilterFamily = {
  escape: ofText(escapeHtml, 8),
  escape_once: ofText(text => escapeHtml(unescapeHtml(text)), 12),
  newline_to_br: ofText(text => text.replace(/\r?\n/g, '<br />\n'), 4),
  strip_html: ofText(stripHtml),
  url_encode: ofText(text => encodeURIComponent(text).replaceAll('%20', '+'), 4),
  url_decode: ofText(percentDecode, 4),
  base64_encode: ofText(text => Buffer.from(text).toString('base64')),
  base64_decode: ofText(text => base64Decode(text, /^[A-Za-z0-9+/]*$/)),
  base64_url_safe_encode: ofText(text => Buffer.from(text).toString('base64url')),
  base64_url_safe_decode: ofText(text => base64Decode(text, /^[A-Za-z0-9_-]*$/)),
}
