import { Buffer } from 'buffer/index.js'
import { natives } from './host.child.ts'

/**
 * The class of the `buffer` package, which has its own memory: Node's class would expose the pool that the whole
 * process shares. Text is converted by the host, because interpreted code takes a hundred times as long.
 */
export { Buffer }

const { from, byteLength } = Buffer as unknown as {
  from(source: unknown, second?: unknown, third?: unknown): Buffer
  byteLength(value: unknown): number
}

function encode(text: string, encoding: unknown): Buffer {
  const bytes = natives.encode(text, `${encoding ?? 'utf8'}`)
  if (!bytes) throw new TypeError('unknown encoding')
  return from(bytes.buffer)
}

/** A function, so that the common mistake `new Buffer.from(…)` works as in Node. */
function bufferFrom(source: unknown, second?: unknown, third?: unknown): Buffer {
  return typeof source === 'string' ? encode(source, second) : from(source, second, third)
}

Object.assign(Buffer, {
  from: bufferFrom,
  byteLength: (value: unknown, encoding?: unknown) =>
    typeof value === 'string' ? encode(value, encoding).length : byteLength(value),
  isEncoding: natives.isEncoding,
})
Buffer.prototype.toString = function (encoding?: unknown, start?: number, end?: number) {
  const text = natives.decode(this.subarray(start, end), `${encoding ?? 'utf8'}`)
  if (text === undefined) throw new TypeError('unknown encoding')
  return text
}

const fillBytes = Uint8Array.prototype.fill
const fill = (bytes: Buffer, value: unknown, start?: unknown, end?: unknown, encoding?: unknown): Buffer => {
  if (typeof start === 'string') return fill(bytes, value, 0, bytes.length, start)
  if (typeof end === 'string') return fill(bytes, value, start, bytes.length, end)
  const part = bytes.subarray(start as number, end as number)
  const pattern = typeof value === 'string' && value !== '' ? encode(value, encoding) : value
  if (!ArrayBuffer.isView(pattern)) return Reflect.apply(fillBytes, bytes, [Number(pattern), start, end])
  if (pattern.byteLength === 0) throw new TypeError('the value is not valid')
  part.set((pattern as Uint8Array).subarray(0, part.length))
  for (let at = pattern.byteLength; at < part.length; at *= 2) part.copyWithin(at, 0, at)
  return bytes
}
Buffer.prototype.fill = function (...given: [unknown, unknown?, unknown?, unknown?]) {
  return fill(this, ...given) as typeof this
}

/** Encodes text with one byte for each character, as in browsers. */
export function btoa(text: unknown): string {
  const base64 = natives.btoa(`${text}`)
  if (base64 === undefined) throw new TypeError('btoa takes characters up to U+00FF')
  return base64
}

export function atob(text: unknown): string {
  const plain = natives.atob(`${text}`)
  if (plain === undefined) throw new TypeError('atob takes base64')
  return plain
}
