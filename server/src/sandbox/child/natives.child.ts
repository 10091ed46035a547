/**
 * Functions of Node for the classes inside a compartment: they take text and numbers, and return text and new
 * bytes. Failures return `undefined`: an error of Node must never reach a compartment, because its class is shared
 * by all of them.
 */
import { createHash, createHmac, randomFillSync, randomUUID, timingSafeEqual } from 'node:crypto'
import { TextDecoder, TextEncoder } from 'node:util'
import { attempt, fresh, NativeBytes, window } from './native-bytes.child.ts'
import { nativeCiphers } from './native-ciphers.child.ts'
import { compress } from './native-compression.child.ts'
import { nativeKeys } from './native-keys.child.ts'

const { apply } = Reflect
const nativeClone = structuredClone

/** An object of Node behind functions that take and return only text, numbers, booleans and lists of text. */
export interface Remote {
  get(name: string): unknown
  /** Returns false if the value is refused. */
  set(name: string, value: string): boolean
  /** Returns the result in a list, or `undefined` if the call fails. */
  call(name: string, values: readonly unknown[]): readonly [unknown] | undefined
  /** Returns an object that belongs to this one. */
  member(name: string): Remote
}

function remote(given: object): Remote {
  const object = given as Record<string, unknown>
  return Object.freeze({
    get: (name: string) => attempt(() => object[name]),
    set: (name: string, value: string) =>
      attempt(() => {
        object[name] = value
        return true
      }) ?? false,
    call: (name: string, values: readonly unknown[]) =>
      attempt((): [unknown] => {
        const result = apply(object[name] as () => unknown, object, values)
        const isList = typeof result === 'object' && result !== null
        return [isList ? [...(result as Iterable<unknown>)] : result]
      }),
    member: (name: string) => remote(object[name] as object),
  })
}

const NativeUrl = URL
const NativeParameters = URLSearchParams
const { atob: nativeAtob, btoa: nativeBtoa } = globalThis
const encoder = new TextEncoder()

const algorithms = new Set<unknown>(['md5', 'sha1', 'sha256', 'sha384', 'sha512'])

const randomPool = Buffer.alloc(4096)
let randomLeft = 0

export const natives = {
  url: (input: string, base?: string) => attempt(() => remote(new NativeUrl(input, base))),
  query: (init: string | [string, string][]) => attempt(() => remote(new NativeParameters(init))),

  encode: (text: string, encoding: string) =>
    attempt(() => fresh(Buffer.from(`${text}`, encoding as BufferEncoding))),
  decode: (bytes: unknown, encoding: string) =>
    attempt(() => {
      const { buffer, byteOffset, byteLength } = window(bytes) as Uint8Array
      return Buffer.from(buffer, byteOffset, byteLength).toString(encoding as BufferEncoding)
    }),
  isEncoding: (name: unknown) => attempt(() => Buffer.isEncoding(name as string)) ?? false,
  encodeInto: (text: string, bytes: unknown) =>
    attempt(() => encoder.encodeInto(text, window(bytes) as Uint8Array)),
  decoder: (label: string, fatal: boolean, ignoreBOM: boolean) =>
    attempt(() => {
      const decoder = new TextDecoder(label, { fatal, ignoreBOM })
      const decode = (bytes: unknown, stream: boolean) =>
        attempt(() => decoder.decode(window(bytes) as Uint8Array, { stream }))
      return { encoding: decoder.encoding, decode }
    }),
  btoa: (text: string) => attempt(() => nativeBtoa(text)),
  atob: (text: string) => attempt(() => nativeAtob(text)),
  /** Returns a copy of the bytes of a typed array, a view or an ArrayBuffer. */
  copy: (bytes: unknown) =>
    attempt(() => {
      const view = window(bytes)
      // Made of nothing, it would be empty.
      return view && new NativeBytes(view)
    }),
  fillRandom: (bytes: unknown) =>
    attempt(() => {
      const view = window(bytes)
      if (!view || view.length > 65_536) return false
      randomFillSync(view)
      return true
    }) ?? false,
  uuid: () => attempt(() => randomUUID()),
  /** Returns a random number of 53 bits, from 0 to below 1. */
  random: () => {
    if (randomLeft < 8) {
      randomFillSync(randomPool)
      randomLeft = randomPool.length
    }
    randomLeft -= 8
    const high = randomPool.readUInt32LE(randomLeft) >>> 5
    const low = randomPool.readUInt32LE(randomLeft + 4) >>> 6
    randomPool.fill(0, randomLeft, randomLeft + 8)
    return (high * 67_108_864 + low) / 9_007_199_254_740_992
  },
  digest: (algorithm: string, bytes: unknown) =>
    attempt(() => {
      const view = window(bytes)
      if (!view || !algorithms.has(algorithm)) return undefined
      return fresh(createHash(algorithm).update(view).digest())
    }),
  hmac: (algorithm: string, key: unknown, bytes: unknown) =>
    attempt(() => {
      const [secret, view] = [window(key), window(bytes)]
      if (!secret || !view || !algorithms.has(algorithm)) return undefined
      return fresh(createHmac(algorithm, secret).update(view).digest())
    }),
  equalBytes: (a: unknown, b: unknown) =>
    attempt(() => {
      const [one, other] = [window(a), window(b)]
      if (!one || !other || one.length !== other.length) return undefined
      return timingSafeEqual(one, other)
    }),
  compress,
  ...nativeCiphers,
  ...nativeKeys,
  /** Returns the clone in a list, to distinguish a clone that is `undefined` from a failure. */
  clone: (value: unknown) => attempt(() => [nativeClone(value)]),
  /** Returns milliseconds with a resolution of 0.1 ms. */
  now: () => Math.round(performance.now() * 10) / 10,
}

export type Natives = typeof natives
