import { natives } from './host.child.ts'

const names: Readonly<Record<string, string>> = {
  utf8: 'utf8',
  'utf-8': 'utf8',
  hex: 'hex',
  base64: 'base64',
  base64url: 'base64url',
  latin1: 'latin1',
  binary: 'latin1',
  ascii: 'ascii',
  utf16le: 'utf16le',
  'utf-16le': 'utf16le',
  ucs2: 'utf16le',
}

function encodingOf(name: unknown): string {
  const key = `${name ?? 'utf8'}`.toLowerCase()
  const found = Object.hasOwn(names, key) ? names[key] : undefined
  if (found === undefined) throw new TypeError('unknown encoding')
  return found
}

/** A Buffer with its own memory: Node's class would expose the pool that the whole process shares. */
export class Buffer extends Uint8Array {
  static alloc(size: number, fill?: unknown, encoding?: string): Buffer {
    const bytes = new Buffer(size)
    return fill === undefined ? bytes : bytes.fill(fill as number, 0, size, encoding)
  }

  static allocUnsafe(size: number): Buffer {
    return new Buffer(size)
  }

  static override from(source: unknown, second?: unknown, third?: unknown): Buffer {
    if (typeof source === 'string') return over(encode(source, second))
    if (source instanceof ArrayBuffer) {
      return new Buffer(source, second as number | undefined, third as number | undefined)
    }
    if (ArrayBuffer.isView(source)) return over(natives.copy(source) ?? new Uint8Array(0))
    const { data } = (source ?? {}) as { data?: unknown }
    if (Array.isArray(data)) return over(Uint8Array.from(data as number[]))
    if (typeof (source as { length?: unknown } | null)?.length === 'number')
      return over(Uint8Array.from(source as ArrayLike<number>))
    throw new TypeError('Buffer.from takes text, bytes or a list of numbers')
  }

  static concat(list: readonly Uint8Array[], length?: number): Buffer {
    const total = length ?? list.reduce((sum, one) => sum + one.length, 0)
    const bytes = new Buffer(total)
    let at = 0
    for (const one of list) {
      if (at >= total) break
      bytes.set(one.subarray(0, total - at), at)
      at += one.length
    }
    return bytes
  }

  static isBuffer(value: unknown): value is Buffer {
    return value instanceof Buffer
  }

  static isEncoding(name: unknown): boolean {
    return typeof name === 'string' && Object.hasOwn(names, name.toLowerCase())
  }

  static byteLength(value: unknown, encoding?: unknown): number {
    if (typeof value === 'string') return encode(value, encoding).length
    return (value as Uint8Array).byteLength
  }

  static compare(a: Uint8Array, b: Uint8Array): number {
    const shorter = Math.min(a.length, b.length)
    for (let at = 0; at < shorter; at++) {
      const difference = (a[at] ?? 0) - (b[at] ?? 0)
      if (difference !== 0) return difference < 0 ? -1 : 1
    }
    return Math.sign(a.length - b.length)
  }

  override toString(encoding?: unknown, start = 0, end = this.length): string {
    return natives.decode(this.subarray(start, end), encodingOf(encoding)) ?? ''
  }

  toJSON(): { type: 'Buffer'; data: number[] } {
    return { type: 'Buffer', data: Array.from(this) }
  }

  equals(other: Uint8Array): boolean {
    return Buffer.compare(this, other) === 0
  }

  compare(other: Uint8Array): number {
    return Buffer.compare(this, other)
  }

  copy(target: Uint8Array, at = 0, start = 0, end = this.length): number {
    const part = this.subarray(start, Math.min(end, start + target.length - at))
    target.set(part, at)
    return part.length
  }

  /** As in Node, returns a view of the same memory. */
  override slice(start?: number, end?: number): Buffer {
    return this.subarray(start, end) as Buffer
  }

  write(text: string, at = 0, length = this.length - at, encoding?: unknown): number {
    const bytes = encode(text, encoding).subarray(0, Math.min(length, this.length - at))
    this.set(bytes, at)
    return bytes.length
  }

  override fill(value: unknown, start = 0, end = this.length, encoding?: unknown): this {
    if (typeof value !== 'string') return super.fill(Number(value), start, end)
    const bytes = encode(value, encoding)
    if (bytes.length <= 1) return super.fill(bytes[0] ?? 0, start, end)
    for (let at = start; at < end; at++)
      this[at] = bytes.length === 0 ? 0 : (bytes[(at - start) % bytes.length] ?? 0)
    return this
  }

  #view(at: number, length: number): DataView {
    if (!(at >= 0 && at + length <= this.length)) throw new RangeError('out of the range of the buffer')
    return new DataView(this.buffer, this.byteOffset + at, length)
  }

  readUInt8(at = 0): number {
    return this.#view(at, 1).getUint8(0)
  }
  readInt8(at = 0): number {
    return this.#view(at, 1).getInt8(0)
  }
  readUInt16BE(at = 0): number {
    return this.#view(at, 2).getUint16(0)
  }
  readUInt16LE(at = 0): number {
    return this.#view(at, 2).getUint16(0, true)
  }
  readUInt32BE(at = 0): number {
    return this.#view(at, 4).getUint32(0)
  }
  readUInt32LE(at = 0): number {
    return this.#view(at, 4).getUint32(0, true)
  }
  readInt32BE(at = 0): number {
    return this.#view(at, 4).getInt32(0)
  }
  readInt32LE(at = 0): number {
    return this.#view(at, 4).getInt32(0, true)
  }
  writeUInt8(value: number, at = 0): number {
    this.#view(at, 1).setUint8(0, value)
    return at + 1
  }
  writeUInt16BE(value: number, at = 0): number {
    this.#view(at, 2).setUint16(0, value)
    return at + 2
  }
  writeUInt32BE(value: number, at = 0): number {
    this.#view(at, 4).setUint32(0, value)
    return at + 4
  }
  writeInt32BE(value: number, at = 0): number {
    this.#view(at, 4).setInt32(0, value)
    return at + 4
  }
}

function encode(text: string, encoding: unknown): Uint8Array {
  return natives.encode(text, encodingOf(encoding)) ?? new Uint8Array(0)
}

function over(bytes: Uint8Array): Buffer {
  return new Buffer(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength)
}

/** Encodes text with one byte for each character, as in browsers. */
export function btoa(text: unknown): string {
  const plain = `${text}`
  if (/[^\0-\xff]/.test(plain)) throw new TypeError('btoa takes characters up to U+00FF')
  return natives.decode(encode(plain, 'latin1'), 'base64') ?? ''
}

export function atob(text: unknown): string {
  const plain = `${text}`.replace(/[\t\n\f\r ]/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain) || plain.replace(/=/g, '').length % 4 === 1) {
    throw new TypeError('atob takes base64')
  }
  return natives.decode(encode(plain, 'base64'), 'latin1') ?? ''
}
