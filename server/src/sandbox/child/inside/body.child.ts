import { natives } from './host.child.ts'
import { utf8 } from './text-coding.child.ts'
import { URLSearchParams } from './url.child.ts'

/** A stream without iteration, such as those of the package `form-data`. */
interface LegacyStream {
  on(event: string, listener: (piece: never) => void): unknown
  pipe(target: unknown): unknown
  readonly resume?: () => unknown
}

/** More than any request may have. */
const mostBytes = 16 * 1024 * 1024

/** A body that is a stream. It is read to its end before a request is sent. */
export class StreamBody {
  readonly #stream: AsyncIterable<unknown> | LegacyStream
  #isRead = false

  constructor(stream: AsyncIterable<unknown> | LegacyStream) {
    this.#stream = stream
  }

  async read(): Promise<Uint8Array> {
    if (this.#isRead) throw new TypeError('the body was already read')
    this.#isRead = true
    const pieces: Uint8Array[] = []
    let length = 0
    const add = (piece: unknown) => {
      const bytes = typeof piece === 'string' ? utf8(piece) : natives.copy(piece)
      if (!bytes) throw new TypeError('a stream that is a body must consist of text or bytes')
      length += bytes.length
      if (length > mostBytes) throw new TypeError('the body is too long')
      pieces.push(bytes)
    }
    if (Symbol.asyncIterator in this.#stream) for await (const piece of this.#stream) add(piece)
    else await drain(this.#stream, add)
    return joined(pieces, length)
  }
}

const isLegacyStream = (body: object): body is LegacyStream =>
  'pipe' in body && typeof body.pipe === 'function' && 'on' in body && typeof body.on === 'function'

function drain(stream: LegacyStream, add: (piece: unknown) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('data', (piece: unknown) => {
      try {
        add(piece)
      } catch (error) {
        reject(error)
      }
    })
    stream.on('error', reject)
    stream.on('end', resolve)
    stream.resume?.()
  })
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const bytes of pieces) {
    whole.set(bytes, at)
    at += bytes.length
  }
  return whole
}

interface GivenBody {
  readonly content?: Uint8Array | StreamBody
  readonly type?: string
}

/** @throws {TypeError} for an object, which Node would send as the text `[object Object]` */
export function readBody(body: unknown): GivenBody {
  if (body === null || body === undefined) return {}
  if (body instanceof StreamBody) return { content: body }
  if (body instanceof URLSearchParams) {
    return { content: utf8(body.toString()), type: 'application/x-www-form-urlencoded;charset=UTF-8' }
  }
  if (typeof body !== 'object') return { content: utf8(`${body}`), type: 'text/plain;charset=UTF-8' }
  const bytes = natives.copy(body)
  if (bytes) return { content: bytes }
  if (Symbol.asyncIterator in body) return { content: new StreamBody(body as AsyncIterable<unknown>) }
  if (isLegacyStream(body)) return { content: new StreamBody(body) }
  throw new TypeError(
    'a body must be text, bytes, URLSearchParams or a stream; of an object, send JSON.stringify(object)',
  )
}
