import { Stream, toBytes, toError } from './stream-base.child.ts'

export type Done = (error?: Error | null, piece?: unknown) => void

export interface WritableOptions {
  readonly objectMode?: boolean
  readonly decodeStrings?: boolean
  readonly write?: (piece: unknown, encoding: string, done: Done) => void
  readonly final?: (done: Done) => void
  readonly destroy?: (error: Error | null, done: (error?: Error | null) => void) => void
}

interface Waiting {
  readonly piece: unknown
  readonly encoding: string
  readonly done: Done | undefined
}

type Callback = (error?: Error | null) => void

/** The state and members of everything that can be written to; `Duplex` takes them over. */
export class WritableClass extends Stream {
  writable = true
  writableEnded = false
  writableFinished = false
  writableObjectMode: boolean
  _decodes: boolean
  _waiting: Waiting[] = []
  _isWriting = false
  _needsDrain = false

  constructor(options: WritableOptions = {}) {
    super(options)
    this.writableObjectMode = options.objectMode ?? false
    this._decodes = options.decodeStrings ?? true
    if (options.write) this._write = options.write
    if (options.final) this._final = options.final
  }

  _write(_piece: unknown, _encoding: string, done: Done): void {
    done(new Error('_write is not implemented'))
  }

  _final(done: Done): void {
    done()
  }

  write(piece: unknown, encoding?: string | Callback, done?: Callback): boolean {
    const [name, callback] = typeof encoding === 'function' ? ['utf8', encoding] : [encoding ?? 'utf8', done]
    if (this.writableEnded) {
      this.destroy(new Error('write after end'))
      return false
    }
    const isKept = this.writableObjectMode || (typeof piece === 'string' && !this._decodes)
    this._waiting.push({ piece: isKept ? piece : toBytes(piece, name), encoding: name, done: callback })
    this._next()
    this._needsDrain = this._waiting.length >= 16
    return !this._needsDrain
  }

  end(piece?: unknown, encoding?: string | Callback, done?: Callback): this {
    const callback = [piece, encoding, done].find(one => typeof one === 'function') as Callback | undefined
    if (piece !== undefined && piece !== null && typeof piece !== 'function') {
      this.write(piece, typeof encoding === 'string' ? encoding : undefined)
    }
    if (callback) this.once('finish', () => callback())
    this.writableEnded = true
    this.writable = false
    this._next()
    return this
  }

  cork(): void {}

  uncork(): void {}

  setDefaultEncoding(): this {
    return this
  }

  _next(): void {
    if (this._isWriting || this.destroyed) return
    const next = this._waiting.shift()
    if (next) {
      this._isWriting = true
      this._attempt(
        done => this._write(next.piece, typeof next.piece === 'string' ? next.encoding : 'buffer', done),
        () => next.done?.(),
      )
    } else if (this._needsDrain && !this.writableEnded) {
      this._needsDrain = false
      this.emit('drain')
    } else if (this.writableEnded && !this.writableFinished) {
      this._isWriting = true
      this._attempt(
        done => this._final(done),
        () => {
          this.writableFinished = true
          this.emit('finish')
          this._closeIfOver()
        },
      )
    }
  }

  /** Runs one step of writing; the next one follows in a later microtask. */
  _attempt(step: (done: Done) => void, succeeded: () => void): void {
    const done: Done = error => {
      process.nextTick(() => {
        this._isWriting = false
        if (error) {
          this.destroy(error)
          return
        }
        succeeded()
        this._next()
      })
    }
    try {
      step(done)
    } catch (error) {
      this.destroy(toError(error))
    }
  }
}
