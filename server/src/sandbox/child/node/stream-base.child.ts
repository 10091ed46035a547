import { EventEmitter } from './events.child.ts'

export interface WritableLike {
  write(piece: unknown): boolean
  end(): unknown
  once(name: string, listener: () => void): unknown
  emit(name: string, ...values: unknown[]): unknown
}

interface Destroyable {
  readonly destroy?: (error: Error | null, done: (error?: Error | null) => void) => void
}

export const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(`${error}`))

export function toBytes(piece: unknown, encoding?: string): Uint8Array {
  if (typeof piece === 'string') return Buffer.from(piece, encoding as 'utf8')
  if (piece instanceof Uint8Array) return piece
  throw new TypeError('a piece must be text or bytes, unless the stream is in object mode')
}

/** The part that is common to all streams. */
export class Stream extends EventEmitter {
  destroyed = false
  closed = false

  constructor(options: Destroyable = {}) {
    super()
    if (options.destroy) this._destroy = options.destroy
  }

  pipe<T extends WritableLike>(target: T): T {
    this.on('data', piece => target.write(piece))
    this.on('end', () => target.end())
    return target
  }

  destroy(error?: Error | null): this {
    if (this.destroyed) return this
    this.destroyed = true
    this._destroy(error ?? null, other => {
      const failure = other ?? error
      process.nextTick(() => {
        if (failure) this.emit('error', failure)
        this.closed = true
        this.emit('close')
      })
    })
    return this
  }

  _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    done(error)
  }

  /** Emits `close` when nothing is left to read or write. */
  _streamCloseIfOver(): void {
    const { readableEnded = true, writableFinished = true } = this as {
      readableEnded?: boolean
      writableFinished?: boolean
    }
    if (readableEnded && writableFinished) this.destroy()
  }
}
