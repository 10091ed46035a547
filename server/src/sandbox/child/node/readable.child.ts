import { Stream, toBytes, toError, type WritableLike } from './stream-base.child.ts'

export interface StreamOptions {
  readonly objectMode?: boolean
  readonly highWaterMark?: number
  readonly encoding?: string
  readonly read?: (size?: number) => void
  readonly destroy?: (error: Error | null, done: (error?: Error | null) => void) => void
}

/** A source of pieces: they are pushed, kept until something listens, and passed on one after the other. */
export class ReadableClass extends Stream {
  readable = true
  readableEnded = false
  readableFlowing: boolean | null = null
  readableObjectMode: boolean
  readableEncoding: string | null
  _streamPieces: unknown[] = []
  _streamIsDone = false
  _streamIsReading = false
  _streamIsPlanned = false

  constructor(options: StreamOptions = {}) {
    super(options)
    this.readableObjectMode = options.objectMode ?? false
    this.readableEncoding = options.encoding ?? null
    if (options.read) this._read = options.read
  }

  static from(items: Iterable<unknown> | AsyncIterable<unknown>, options: StreamOptions = {}): ReadableClass {
    const stream = new ReadableClass({ objectMode: true, ...options })
    const iterate = async () => {
      const whole = typeof items === 'string' || items instanceof Uint8Array
      for await (const item of whole ? [items] : items) stream.push(item)
      stream.push(null)
    }
    iterate().catch(error => stream.destroy(toError(error)))
    return stream
  }

  _read(_size?: number): void {}

  push(piece: unknown, encoding?: string): boolean {
    if (piece === null || piece === undefined) this._streamIsDone = true
    else if (this.readableObjectMode) this._streamPieces.push(piece)
    else if ((piece as { length: number }).length > 0) this._streamPieces.push(toBytes(piece, encoding))
    this._streamIsReading = false
    this._streamPlan()
    return this._streamPieces.length < 16
  }

  setEncoding(encoding: string): this {
    this.readableEncoding = encoding
    return this
  }

  /** Returns the next piece, or all bytes that are there; `null` if there are none. */
  read(): unknown {
    if (this._streamPieces.length === 0) {
      this._streamMore()
      this._streamPlan()
    }
    if (this._streamPieces.length === 0) return null
    return this.readableObjectMode
      ? this._streamPieces.shift()
      : this._streamShown(Buffer.concat(this._streamPieces.splice(0) as Buffer[]))
  }

  override on(name: string | symbol, listener: (...values: unknown[]) => unknown): this {
    super.on(name, listener)
    if (name === 'data' && this.readableFlowing !== false) this.resume()
    if (name === 'readable') this._streamPlan()
    return this
  }

  resume(): this {
    this.readableFlowing = true
    this._streamPlan()
    return this
  }

  pause(): this {
    this.readableFlowing = false
    return this
  }

  isPaused(): boolean {
    return this.readableFlowing === false
  }

  override pipe<T extends WritableLike>(target: T, options?: { readonly end?: boolean }): T {
    this.on('data', piece => {
      if (target.write(piece) === false) {
        this.pause()
        target.once('drain', () => this.resume())
      }
    })
    if (options?.end !== false) this.on('end', () => target.end())
    target.emit('pipe', this)
    return target
  }

  unpipe(): this {
    this.removeAllListeners('data')
    return this.pause()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    let [isOver, failure] = [false, undefined as unknown]
    let wake = () => {}
    const waiting: unknown[] = []
    this.on('data', piece => {
      waiting.push(piece)
      wake()
    })
    for (const name of ['end', 'error', 'close']) {
      this.on(name, error => {
        if (name === 'error') failure = error
        isOver = true
        wake()
      })
    }
    for (;;) {
      yield* waiting.splice(0)
      if (failure !== undefined) throw failure
      if (isOver && waiting.length === 0) return
      if (waiting.length === 0) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    }
  }

  _streamShown(bytes: unknown): unknown {
    const { readableEncoding: encoding } = this
    return encoding !== null && bytes instanceof Uint8Array
      ? Buffer.from(bytes).toString(encoding as 'utf8')
      : bytes
  }

  _streamMore(): void {
    if (this._streamIsDone || this._streamIsReading || this.destroyed) return
    this._streamIsReading = true
    try {
      this._read(16_384)
    } catch (error) {
      this.destroy(toError(error))
    }
  }

  _streamPlan(): void {
    if (this._streamIsPlanned) return
    this._streamIsPlanned = true
    process.nextTick(() => {
      this._streamIsPlanned = false
      this._streamFlow()
    })
  }

  _streamFlow(): void {
    if (this.readableFlowing !== true && this.listenerCount('readable') > 0) {
      if (this._streamPieces.length === 0) this._streamMore()
      if (this._streamPieces.length > 0 || this._streamIsDone) this.emit('readable')
    }
    while (this.readableFlowing && !this.destroyed && this._streamPieces.length > 0) {
      this.emit('data', this._streamShown(this._streamPieces.shift()))
    }
    if (this.readableFlowing && this._streamPieces.length === 0) this._streamMore()
    if (this._streamIsDone && this._streamPieces.length === 0 && !this.readableEnded && !this.destroyed)
      this._streamEnd()
  }

  _streamEnd(): void {
    if (this.readableFlowing === null && this.listenerCount('readable') === 0) return
    this.readableEnded = true
    this.readable = false
    this.emit('end')
    this._streamCloseIfOver()
  }
}
