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

/** The functions of a stream that are replaced while somebody watches it. */
class Tap {
  readonly watchers = new Set<Part[]>()
  readonly #stream: DevWritable
  readonly #undo: (() => void)[]
  /** True while `end` runs, which may call `write`. */
  #isEnding = false

  constructor(stream: DevWritable) {
    this.#stream = stream
    this.#undo = (['write', 'end'] as const).flatMap(name => (stream[name] ? [this.#replace(name)] : []))
  }

  /** Puts the functions back. One that somebody has replaced since stays, and passes on what it gets. */
  remove(): void {
    for (const undo of this.#undo) undo()
  }

  #replace(name: 'write' | 'end'): () => void {
    const stream = this.#stream
    const before = stream[name]
    const isOwn = Object.hasOwn(stream, name)
    const replaced = (...args: unknown[]) => {
      if (!this.#isEnding) this.#record(args)
      const wasEnding = this.#isEnding
      this.#isEnding ||= name === 'end'
      try {
        return before?.apply(stream, args)
      } finally {
        this.#isEnding = wasEnding
      }
    }
    stream[name] = replaced
    return () => {
      if (stream[name] !== replaced) return
      if (isOwn && before) stream[name] = before
      else delete (stream as Partial<DevWritable>)[name]
    }
  }

  #record([chunk, encoding]: readonly unknown[]): void {
    const part = partOf(chunk, encoding)
    if (part !== undefined) for (const watcher of this.watchers) watcher.push(part)
  }
}

const taps = new WeakMap<DevWritable, Tap>()

/** Keeps what is written to a stream until the end of the watch, which returns it. Any number may watch one stream. */
export function watchStream(stream: DevWritable): () => readonly Part[] {
  const tap = taps.get(stream) ?? new Tap(stream)
  taps.set(stream, tap)
  const written: Part[] = []
  tap.watchers.add(written)
  return () => {
    tap.watchers.delete(written)
    if (tap.watchers.size === 0 && taps.get(stream) === tap) {
      taps.delete(stream)
      tap.remove()
    }
    return written
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
