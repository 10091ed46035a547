import { consoles, formatted, isStandard } from './consoles.ts'

/**
 * A stream that can be watched, such as `process.stdout`.
 *
 * @example
 * ```ts
 * const stream: DevWritable = process.stdout
 * ```
 */
export interface DevWritable {
  // biome-ignore lint/suspicious/noExplicitAny: streams overload it
  write: (...args: any[]) => any
  // biome-ignore lint/suspicious/noExplicitAny: streams overload it
  end?: (...args: any[]) => any
}

type Part = string | Uint8Array
// biome-ignore lint/suspicious/noExplicitAny: functions of streams and consoles
type Functions = Record<string, ((...args: any[]) => any) | undefined>

/** The functions of a stream or a console that are replaced while somebody watches it. */
class Tap {
  readonly watchers = new Set<Part[]>()
  readonly #target: Functions
  readonly #undo: (() => void)[]

  constructor(target: Functions, names: readonly string[], around: (tap: Tap, name: string) => Around) {
    this.#target = target
    this.#undo = names
      .filter(name => typeof target[name] === 'function')
      .map(name => this.#replace(name, around(this, name)))
  }

  /** Puts the functions back. One that somebody has replaced since stays, and passes on what it gets. */
  remove(): void {
    for (const undo of this.#undo) undo()
  }

  record(part: Part | undefined): void {
    if (part === undefined) return
    heard++
    for (const watcher of this.watchers) watcher.push(part)
  }

  #replace(name: string, around: Around): () => void {
    const target = this.#target
    const before = target[name]
    const isOwn = Object.hasOwn(target, name)
    const replaced = (...args: unknown[]) => around(args, () => before?.apply(target, args))
    target[name] = replaced
    return () => {
      if (target[name] !== replaced) return
      if (isOwn && before) target[name] = before
      else delete target[name]
    }
  }
}

/** Calls a function that was replaced, and records what it writes. */
type Around = (args: readonly unknown[], call: () => unknown) => unknown

/** How many parts were recorded, of anything. */
let heard = 0

/** Records what is written to a stream. `end` may call `write`. */
function aroundStream(tap: Tap, name: string): Around {
  return (args, call) => {
    if (!ending.has(tap)) tap.record(partOf(args[0], args[1]))
    const wasEnding = ending.has(tap)
    if (name === 'end') ending.add(tap)
    try {
      return call()
    } finally {
      if (!wasEnding) ending.delete(tap)
    }
  }
}
const ending = new WeakSet<Tap>()

/** Records what a console prints, unless it writes that to a stream that is watched. */
function aroundConsole(tap: Tap): Around {
  return (args, call) => {
    const before = heard
    try {
      return call()
    } finally {
      if (heard === before) tap.record(`${formatted(args)}\n`)
    }
  }
}

const taps = new WeakMap<object, Tap>()

/** The functions of a console that print their arguments. */
const printing = ['log', 'info', 'debug', 'warn', 'error', 'trace', 'dir', 'dirxml', 'table', 'group']

/**
 * Keeps what is written to a stream until the end of the watch, which returns it. Any number may watch one stream. With the
 * streams of the process it also hears consoles: those of test runners do not write to these.
 */
export function watchStream(stream: DevWritable): () => readonly Part[] {
  const written: Part[] = []
  const leave = [
    enter(stream, ['write', 'end'], aroundStream, written),
    ...(isStandard(stream) ? consoles() : []).map(one => enter(one, printing, aroundConsole, written)),
  ]
  return () => {
    for (const one of leave) one()
    return written
  }
}

/** Returns a function that ends what it begins. */
function enter(
  target: object,
  names: readonly string[],
  around: (tap: Tap, name: string) => Around,
  written: Part[],
): () => void {
  const tap = taps.get(target) ?? new Tap(target as Functions, names, around)
  taps.set(target, tap)
  tap.watchers.add(written)
  return () => {
    tap.watchers.delete(written)
    if (tap.watchers.size > 0 || taps.get(target) !== tap) return
    taps.delete(target)
    tap.remove()
  }
}

/** Returns what a stream writes: a text, or a copy of bytes. */
function partOf(chunk: unknown, encoding: unknown): Part | undefined {
  if (ArrayBuffer.isView(chunk))
    return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength).slice()
  if (typeof chunk !== 'string') return undefined
  if (typeof encoding !== 'string' || /^utf-?8$/i.test(encoding)) return chunk
  // Only where there is a Buffer do streams know other encodings.
  const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: string): Uint8Array } }
  return Buffer?.from(chunk, encoding) ?? chunk
}
