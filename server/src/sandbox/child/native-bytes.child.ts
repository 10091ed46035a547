/** How functions of Node read bytes that formulas give them, and what becomes of their errors. */
const { apply } = Reflect
const getter = (of: object, name: PropertyKey) => {
  const get = Object.getOwnPropertyDescriptor(of, name)?.get
  if (!get) throw new Error(`no getter ${String(name)}`)
  return (self: unknown) => apply(get, self, [])
}
const typedArray = Object.getPrototypeOf(Uint8Array.prototype)
const bufferOf = getter(typedArray, 'buffer')
const offsetOf = getter(typedArray, 'byteOffset')
const lengthOf = getter(typedArray, 'byteLength')
const viewBuffer = getter(DataView.prototype, 'buffer')
const viewOffset = getter(DataView.prototype, 'byteOffset')
const viewLength = getter(DataView.prototype, 'byteLength')
const arrayBufferLength = getter(ArrayBuffer.prototype, 'byteLength')
const { isView } = ArrayBuffer
export const NativeBytes = Uint8Array

/** Returns a view of the actual bytes, even if a subclass overrides length or species. */
export function window(value: unknown): Uint8Array | undefined {
  try {
    if (!isView(value)) return new NativeBytes(value as ArrayBuffer, 0, arrayBufferLength(value))
    try {
      return new NativeBytes(bufferOf(value), offsetOf(value), lengthOf(value))
    } catch {
      return new NativeBytes(viewBuffer(value), viewOffset(value), viewLength(value))
    }
  } catch {
    return undefined
  }
}

/** Returns `undefined` for an error: one of Node must never reach a compartment. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

export const fresh = (bytes: Uint8Array): Uint8Array => new NativeBytes(bytes)
