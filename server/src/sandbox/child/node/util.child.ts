import { format as formatTo, inspect as inspectTo } from '../inside/inspect.child.ts'

type Callback = (error: unknown, value?: unknown) => void
// biome-ignore lint/suspicious/noExplicitAny: functions of formulas take anything
type AnyFunction = (this: any, ...given: any[]) => any

const custom = Symbol.for('nodejs.util.promisify.custom')

const promisify = Object.assign(
  (original: AnyFunction & { [custom]?: AnyFunction }): AnyFunction => {
    if (typeof original !== 'function') throw new TypeError('promisify takes a function')
    if (original[custom]) return original[custom]
    return function (...given) {
      return new Promise((resolve, reject) => {
        const done: Callback = (error, value) => (error ? reject(error) : resolve(value))
        Reflect.apply(original, this, [...given, done])
      })
    }
  },
  { custom },
)

const callbackify = (original: AnyFunction): AnyFunction =>
  function (...given) {
    const done = given.pop() as Callback
    Promise.resolve(Reflect.apply(original, this, given)).then(
      value => process.nextTick(() => done(null, value)),
      error => process.nextTick(() => done(error ?? new Error('rejected without a reason'))),
    )
  }

function inherits(child: { super_?: unknown; prototype: object }, parent: { prototype: object }): void {
  child.super_ = parent
  Object.setPrototypeOf(child.prototype, parent.prototype)
}

const defaultDepth = 2

const inspect = (value: unknown, options: { readonly depth?: number | null } | boolean = {}): string => {
  const depth = typeof options === 'object' ? options.depth : undefined
  return inspectTo(value, depth === null ? Number.POSITIVE_INFINITY : (depth ?? defaultDepth))
}

const format = (...values: unknown[]): string => formatTo(values, defaultDepth)

function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (a instanceof Date) return a.getTime() === (b as Date).getTime()
  if (a instanceof Map || a instanceof Set)
    return isDeepStrictEqual([...a], [...(b as Map<unknown, unknown>)])
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every(
      name =>
        Object.hasOwn(b, name) &&
        isDeepStrictEqual((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]),
    )
  )
}

const tagOf = (value: unknown) => Object.prototype.toString.call(value).slice(8, -1)
const isTagged =
  (...tags: string[]) =>
  (value: unknown) =>
    typeof value === 'object' && value !== null && tags.includes(tagOf(value))
const boxes = ['Number', 'String', 'Boolean', 'BigInt', 'Symbol']
const isTypedArray = (value: unknown) => ArrayBuffer.isView(value) && !(value instanceof DataView)

const types = {
  isAnyArrayBuffer: isTagged('ArrayBuffer', 'SharedArrayBuffer'),
  isArrayBuffer: isTagged('ArrayBuffer'),
  isArrayBufferView: ArrayBuffer.isView,
  isAsyncFunction: (value: unknown) => tagOf(value) === 'AsyncFunction',
  isDataView: isTagged('DataView'),
  isDate: isTagged('Date'),
  isGeneratorFunction: (value: unknown) => tagOf(value) === 'GeneratorFunction',
  isBigIntObject: isTagged('BigInt'),
  isBooleanObject: isTagged('Boolean'),
  isBoxedPrimitive: isTagged(...boxes),
  isFloat32Array: isTagged('Float32Array'),
  isFloat64Array: isTagged('Float64Array'),
  isMap: isTagged('Map'),
  isNativeError: (value: unknown) => value instanceof Error,
  isNumberObject: isTagged('Number'),
  isPromise: isTagged('Promise'),
  isProxy: () => false,
  isRegExp: isTagged('RegExp'),
  isSet: isTagged('Set'),
  isStringObject: isTagged('String'),
  isSymbolObject: isTagged('Symbol'),
  isTypedArray,
  isUint8Array: (value: unknown) => value instanceof Uint8Array,
}

export const util = {
  callbackify,
  debuglog: () => () => {},
  deprecate: (original: AnyFunction) => original,
  format,
  inherits,
  inspect: Object.assign(inspect, { custom: Symbol.for('nodejs.util.inspect.custom') }),
  isArray: Array.isArray,
  isDeepStrictEqual,
  promisify,
  TextDecoder,
  TextEncoder,
  types,
}
