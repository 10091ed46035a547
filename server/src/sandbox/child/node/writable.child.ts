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
  _streamDecodes: boolean
  _streamWaiting: Waiting[] = []
  _streamIsWriting = false
  _streamNeedsDrain = false

  constructor(options: WritableOptions = {}) {
    super(options)
    this.writableObjectMode = options.objectMode ?? false
    this._streamDecodes = options.decodeStrings ?? true
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
    const isKept = this.writableObjectMode || (typeof piece === 'string' && !this._streamDecodes)
    this._streamWaiting.push({ piece: isKept ? piece : toBytes(piece, name), encoding: name, done: callback })
    this._streamNext()
    this._streamNeedsDrain = this._streamWaiting.length >= 16
    return !this._streamNeedsDrain
  }

  end(piece?: unknown, encoding?: string | Callback, done?: Callback): this {
    const callback = [piece, encoding, done].find(one => typeof one === 'function') as Callback | undefined
    if (piece !== undefined && piece !== null && typeof piece !== 'function') {
      this.write(piece, typeof encoding === 'string' ? encoding : undefined)
    }
    if (callback) this.once('finish', () => callback())
    this.writableEnded = true
    this.writable = false
    this._streamNext()
    return this
  }

  cork(): void {}

  uncork(): void {}

  setDefaultEncoding(): this {
    return this
  }

  _streamNext(): void {
    if (this._streamIsWriting || this.destroyed) return
    const next = this._streamWaiting.shift()
    if (next) {
      this._streamIsWriting = true
      this._streamAttempt(
        done => this._write(next.piece, typeof next.piece === 'string' ? next.encoding : 'buffer', done),
        () => next.done?.(),
      )
    } else if (this._streamNeedsDrain && !this.writableEnded) {
      this._streamNeedsDrain = false
      this.emit('drain')
    } else if (this.writableEnded && !this.writableFinished) {
      this._streamIsWriting = true
      this._streamAttempt(
        done => this._final(done),
        () => {
          this.writableFinished = true
          this.emit('finish')
          this._streamCloseIfOver()
        },
      )
    }
  }

  /** Runs one step of writing; the next one follows in a later microtask. */
  _streamAttempt(step: (done: Done) => void, succeeded: () => void): void {
    const done: Done = error => {
      process.nextTick(() => {
        this._streamIsWriting = false
        if (error) {
          this.destroy(error)
          return
        }
        succeeded()
        this._streamNext()
      })
    }
    try {
      step(done)
    } catch (error) {
      this.destroy(toError(error))
    }
  }
}
