import { decodeUtf8 } from '../../base/utf8.ts'
import { standard } from '../compile/liquidjs.ts'
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
  escape: ofText(standard('escape'), 8),
  escape_once: ofText(standard('escape_once'), 12),
  newline_to_br: ofText(standard('newline_to_br'), 4),
  strip_html: ofText(standard('strip_html')),
  url_encode: ofText(standard('url_encode'), 4),
  url_decode: ofText(percentDecode, 4),
  base64_encode: ofText(text => Buffer.from(text).toString('base64')),
  base64_decode: ofText(text => base64Decode(text, /^[A-Za-z0-9+/]*$/)),
  // Padded, unlike Node's base64url.
  base64_url_safe_encode: ofText(text =>
    Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
  ),
  base64_url_safe_decode: ofText(text => base64Decode(text, /^[A-Za-z0-9_-]*$/)),
}
