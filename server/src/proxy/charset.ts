import { decodeText, NotUtf8 } from '../base/utf8.ts'
import type { ProxyHeaders } from './headers.ts'

/** A way to write text as bytes. Both directions are without loss, or throw `NotUtf8`. */
export interface Charset {
  decode(bytes: Uint8Array): string
  encode(text: string): Uint8Array
  readonly isUtf8: boolean
}

const utf8: Charset = {
  decode: bytes => decodeText(bytes, 'the body'),
  encode: text => Buffer.from(text),
  isUtf8: true,
}

/** The charsets whose bytes are the first code points of Unicode. */
const lasts: Readonly<Record<string, number>> = {
  'us-ascii': 0x7f,
  ascii: 0x7f,
  'iso-8859-1': 0xff,
  latin1: 0xff,
}

const declaredInXml = /^(?:\xef\xbb\xbf)?<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]{1,40})["']/

/** Returns the charset that a body says it is in, UTF-8 if it says none. @throws {NotUtf8} for others than these */
export function charsetOf(headers: ProxyHeaders, kind: string, bytes: Uint8Array): Charset {
  const [, given] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? []
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  const declared = kind === 'xml' ? declaredInXml.exec(start)?.[1] : undefined
  const name = (given ?? declared ?? 'utf-8').toLowerCase()
  if (/^utf-?8$/.test(name)) return utf8
  const last = lasts[name]
  if (last === undefined)
    throw new NotUtf8('the body is in a charset that is not read here; send it in UTF-8')
  return {
    decode: bytes => checkRange(Buffer.from(bytes).toString('latin1'), last),
    encode: text => Buffer.from(checkRange(text, last), 'latin1'),
    isUtf8: false,
  }
}

/** Returns a text whose characters are not above `last`. @throws {NotUtf8} for any other */
export function checkRange(text: string, last: number): string {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > last)
      throw new NotUtf8('the body has, or would have, characters that its charset lacks; send it in UTF-8')
  }
  return text
}
