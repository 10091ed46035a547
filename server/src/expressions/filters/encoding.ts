import { decodeUtf8 } from '../../base/utf8.ts'
import { filters } from '../liquid/liquidjs.ts'
import type { Run } from '../run.ts'
import { toText } from '../text.ts'
import { type Filter, type FilterFamily, unsuitable } from './filter.ts'

/** A filter from text to text. `effort` is its cost relative to copying the text, in the worst case. */
function ofText(apply: (text: string, run: Run) => string, effort = 1): Filter {
  return {
    takes: [0, 0],
    apply: (input, _, run) => {
      const text = toText(input, run)
      run.meter.characters(text.length * effort)
      return apply(text, run)
    },
  }
}

/** A filter of liquidjs from text to text. */
function native(name: keyof typeof filters, effort?: number): Filter {
  const filter = filters[name] as unknown as (this: { readonly context: Run }, text: string) => string
  return ofText((text, run) => filter.call({ context: run }, text), effort)
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw unsuitable('takes text in which every % begins an encoded character')
  }
}

function base64Decode(text: string, alphabet: RegExp): string {
  const digits = text.replace(/[\t\n\f\r ]|={1,2}$/g, '')
  const decoded =
    alphabet.test(digits) && digits.length % 4 !== 1 ? decodeUtf8(Buffer.from(digits, 'base64')) : undefined
  if (decoded === undefined) throw unsuitable('takes base64 of UTF-8 text')
  return decoded
}

/** The filters of Liquid that encode and decode text. */
export const encodingFilters: FilterFamily = {
  upcase: native('upcase'),
  downcase: native('downcase'),
  capitalize: native('capitalize'),
  strip: native('strip'),
  lstrip: native('lstrip'),
  rstrip: native('rstrip'),
  strip_newlines: native('strip_newlines'),
  squish: native('squish'),
  escape: native('escape', 8),
  escape_once: native('escape_once', 12),
  newline_to_br: native('newline_to_br', 4),
  strip_html: native('strip_html'),
  url_encode: native('url_encode', 4),
  url_decode: ofText(percentDecode, 4),
  base64_encode: ofText(text => Buffer.from(text).toString('base64')),
  base64_decode: ofText(text => base64Decode(text, /^[A-Za-z0-9+/]*$/)),
  // Padded, unlike Node's base64url.
  base64_url_safe_encode: ofText(text =>
    Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
  ),
  base64_url_safe_decode: ofText(text => base64Decode(text, /^[A-Za-z0-9_-]*$/)),
}
