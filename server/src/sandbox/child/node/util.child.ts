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

/** Shows a value on one line; cycles and what is nested deeper than `depth` are left out. */
function inspect(value: unknown, options: { readonly depth?: number | null } | boolean = {}): string {
  const most = (typeof options === 'object' ? options.depth : undefined) ?? 2
  const within: unknown[] = []
  const show = (one: unknown, isInside: boolean): string => {
    if (typeof one === 'string') return isInside ? `'${one}'` : one
    if (typeof one === 'function') return `[Function${one.name ? `: ${one.name}` : ' (anonymous)'}]`
    if (typeof one === 'bigint') return `${one}n`
    if (typeof one !== 'object' || one === null) return String(one)
    if (one instanceof Error) return `${one.name}: ${one.message}`
    if (one instanceof Date) return one.toISOString()
    if (one instanceof RegExp) return `${one}`
    if (within.includes(one)) return '[Circular *1]'
    if (within.length > most) return Array.isArray(one) ? '[Array]' : '[Object]'
    within.push(one)
    const members = Array.isArray(one)
      ? one.map(item => show(item, true))
      : Object.entries(one).map(([name, item]) => `${name}: ${show(item, true)}`)
    within.pop()
    const [open, close] = Array.isArray(one) ? ['[', ']'] : ['{', '}']
    return members.length === 0 ? open + close : `${open} ${members.join(', ')} ${close}`
  }
  return show(value, typeof value === 'string')
}

function format(...values: unknown[]): string {
  const [first, ...rest] = values
  if (typeof first !== 'string') return values.map(value => inspectArgument(value)).join(' ')
  const text = first.replace(/%[sdifjoOc%]/g, mark => {
    if (mark === '%%') return rest.length > 0 || values.length > 1 ? '%' : mark
    if (rest.length === 0) return mark
    const value = rest.shift()
    if (mark === '%s') return typeof value === 'object' ? inspect(value, { depth: 0 }) : String(value)
    if (mark === '%d') return String(Number(value))
    if (mark === '%i') return String(Number.parseInt(`${value}`, 10))
    if (mark === '%f') return String(Number.parseFloat(`${value}`))
    if (mark === '%j') return JSON.stringify(value)
    return mark === '%c' ? '' : inspect(value)
  })
  return [text, ...rest.map(value => inspectArgument(value))].join(' ')
}
const inspectArgument = (value: unknown) => (typeof value === 'string' ? value : inspect(value))

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
const isTypedArray = (value: unknown) => ArrayBuffer.isView(value) && !(value instanceof DataView)

const types = {
  isAnyArrayBuffer: isTagged('ArrayBuffer', 'SharedArrayBuffer'),
  isArrayBuffer: isTagged('ArrayBuffer'),
  isArrayBufferView: ArrayBuffer.isView,
  isAsyncFunction: (value: unknown) => tagOf(value) === 'AsyncFunction',
  isDataView: isTagged('DataView'),
  isDate: isTagged('Date'),
  isGeneratorFunction: (value: unknown) => tagOf(value) === 'GeneratorFunction',
  isMap: isTagged('Map'),
  isNativeError: (value: unknown) => value instanceof Error,
  isPromise: isTagged('Promise'),
  isProxy: () => false,
  isRegExp: isTagged('RegExp'),
  isSet: isTagged('Set'),
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
