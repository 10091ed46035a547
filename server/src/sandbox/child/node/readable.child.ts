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
  _pieces: unknown[] = []
  _isDone = false
  _isReading = false
  _isPlanned = false

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
    if (piece === null || piece === undefined) this._isDone = true
    else if (this.readableObjectMode) this._pieces.push(piece)
    else if ((piece as { length: number }).length > 0) this._pieces.push(toBytes(piece, encoding))
    this._isReading = false
    this._plan()
    return this._pieces.length < 16
  }

  setEncoding(encoding: string): this {
    this.readableEncoding = encoding
    return this
  }

  /** Returns the next piece, or all bytes that are there; `null` if there are none. */
  read(): unknown {
    if (this._pieces.length === 0) {
      this._more()
      this._plan()
    }
    if (this._pieces.length === 0) return null
    return this.readableObjectMode
      ? this._pieces.shift()
      : this._shown(Buffer.concat(this._pieces.splice(0) as Buffer[]))
  }

  override on(name: string | symbol, listener: (...values: unknown[]) => unknown): this {
    super.on(name, listener)
    if (name === 'data' && this.readableFlowing !== false) this.resume()
    if (name === 'readable') this._plan()
    return this
  }

  resume(): this {
    this.readableFlowing = true
    this._plan()
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

  _shown(bytes: unknown): unknown {
    const { readableEncoding: encoding } = this
    return encoding !== null && bytes instanceof Uint8Array
      ? Buffer.from(bytes).toString(encoding as 'utf8')
      : bytes
  }

  _more(): void {
    if (this._isDone || this._isReading || this.destroyed) return
    this._isReading = true
    try {
      this._read(16_384)
    } catch (error) {
      this.destroy(toError(error))
    }
  }

  _plan(): void {
    if (this._isPlanned) return
    this._isPlanned = true
    process.nextTick(() => {
      this._isPlanned = false
      this._flow()
    })
  }

  _flow(): void {
    if (this.readableFlowing !== true && this.listenerCount('readable') > 0) {
      if (this._pieces.length === 0) this._more()
      if (this._pieces.length > 0 || this._isDone) this.emit('readable')
    }
    while (this.readableFlowing && !this.destroyed && this._pieces.length > 0) {
      this.emit('data', this._shown(this._pieces.shift()))
    }
    if (this.readableFlowing && this._pieces.length === 0) this._more()
    if (this._isDone && this._pieces.length === 0 && !this.readableEnded && !this.destroyed) this._end()
  }

  _end(): void {
    if (this.readableFlowing === null && this.listenerCount('readable') === 0) return
    this.readableEnded = true
    this.readable = false
    this.emit('end')
    this._closeIfOver()
  }
}
