import { callable } from './callable.child.ts'
import { ReadableClass, type StreamOptions } from './readable.child.ts'
import { Stream as StreamClass } from './stream-base.child.ts'
import { type Done, WritableClass, type WritableOptions } from './writable.child.ts'

type DuplexOptions = StreamOptions &
  WritableOptions & { readonly transform?: Transform; readonly flush?: Flush }
type Transform = (piece: unknown, encoding: string, done: Done) => void
type Flush = (done: Done) => void

const Both = ReadableClass as unknown as new (options: DuplexOptions) => ReadableClass & WritableClass

class DuplexClass extends Both {
  constructor(options: DuplexOptions = {}) {
    super(options)
    // All state is in plain members, so that of a writable stream can be taken over.
    const { _events, ...state } = new WritableClass(options)
    Object.assign(this, state, options.read ? { _read: options.read } : {})
  }
}
const { constructor: _own, ...written } = Object.getOwnPropertyDescriptors(WritableClass.prototype)
Object.defineProperties(DuplexClass.prototype, written)

class TransformClass extends DuplexClass {
  constructor(options: DuplexOptions = {}) {
    super(options)
    if (options.transform) this._transform = options.transform
    if (options.flush) this._flush = options.flush
  }

  _transform(_piece: unknown, _encoding: string, done: Done): void {
    done(new Error('_transform is not implemented'))
  }

  _flush(done: Done): void {
    done()
  }

  override _write(piece: unknown, encoding: string, done: Done): void {
    this._transform(piece, encoding, (error, made) => {
      if (!error && made !== undefined && made !== null) this.push(made)
      done(error)
    })
  }

  override _final(done: Done): void {
    this._flush((error, made) => {
      if (!error && made !== undefined && made !== null) this.push(made)
      if (!error) this.push(null)
      done(error)
    })
  }
}

class PassThroughClass extends TransformClass {
  override _transform(piece: unknown, _encoding: string, done: Done): void {
    done(null, piece)
  }
}

type AnyStream = StreamClass & Partial<WritableClass> & Partial<ReadableClass>

/** Calls back when a stream has ended, finished or failed. */
function finished(stream: AnyStream, given: unknown, done = given as Done): () => void {
  let isOver = false
  const over = (error?: unknown) => {
    if (isOver) return
    isOver = true
    done(error as Error | undefined)
  }
  const isWritten = () => stream.writableFinished !== false
  const isRead = () => stream.readableEnded !== false
  stream.on('end', () => isWritten() && over())
  stream.on('finish', () => isRead() && over())
  stream.on('error', over)
  stream.on('close', () =>
    over(isWritten() && isRead() ? undefined : new Error('the stream was closed early')),
  )
  return () => {
    isOver = true
  }
}

function pipeline(...given: unknown[]): AnyStream {
  const done = typeof given.at(-1) === 'function' ? (given.pop() as Done) : () => {}
  const streams = given.flat() as AnyStream[]
  const last = streams.at(-1) as AnyStream
  let isOver = false
  const over = (error?: Error | null) => {
    if (isOver) return
    isOver = true
    if (error) for (const stream of streams) stream.destroy()
    done(error)
  }
  for (const stream of streams) stream.on('error', error => over(error as Error))
  last.on('finish', () => over())
  if (!('writableFinished' in last)) last.on('end', () => over())
  streams.reduce((from, to) => from.pipe(to as unknown as WritableClass) as unknown as AnyStream)
  return last
}

const Readable = callable(ReadableClass)
const promises = {
  pipeline: (...streams: unknown[]) =>
    new Promise<void>((resolve, reject) =>
      pipeline(...streams, (error?: Error) => (error ? reject(error) : resolve())),
    ),
  finished: (stream: AnyStream) =>
    new Promise<void>((resolve, reject) =>
      finished(stream, (error?: Error) => (error ? reject(error) : resolve())),
    ),
}

const Stream = callable(StreamClass)
export const stream = Object.assign(Stream, {
  Stream,
  Readable,
  Writable: callable(WritableClass),
  Duplex: callable(DuplexClass),
  Transform: callable(TransformClass),
  PassThrough: callable(PassThroughClass),
  finished,
  pipeline,
  promises,
})
