import { OperatorError } from './operator-error.ts'

/** Thrown for bytes that are not UTF-8. The message has their place. */
export class NotUtf8 extends OperatorError {
  override readonly name = 'NotUtf8'
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** Decodes UTF-8; `undefined` if it is not valid. A byte-order mark is kept. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Decodes text that enters: a body, a file, standard input. Skips a byte-order mark at the start. Nothing is replaced:
 * a name or code in another encoding would be kept altered.
 * @param what begins the message, such as `the body`
 * @throws {NotUtf8} with the place of the first byte that is not UTF-8, from 0
 */
export function decodeText(bytes: Uint8Array, what: string): string {
  if (isUtf16(bytes)) throw new NotUtf8(`${what} is UTF-16; it must be UTF-8`)
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new NotUtf8(`${what} is not UTF-8 (at byte ${firstInvalid(bytes)})`)
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/** True if a text begins with a byte-order mark of UTF-16, or with an ASCII character in it. */
function isUtf16([first, second]: Uint8Array): boolean {
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return isMarked || (first === 0 && second !== 0) || (first !== 0 && second === 0)
}

/** Returns the offset of the first character that is not UTF-8: where it differs from what the decoder makes of it. */
function firstInvalid(bytes: Uint8Array): number {
  const replaced = Buffer.from(lenient.decode(bytes))
  let at = 0
  while (bytes[at] === replaced[at]) at++
  // U+FFFD is EF BF BD, so that the beginning of an incomplete character can be the same.
  if (bytes[at - 1] === 0xef) return at - 1
  return bytes[at - 2] === 0xef && bytes[at - 1] === 0xbf ? at - 2 : at
}
