/**
 * The module `zlib`. Each call compresses or decompresses bytes that are complete, by Node in the process of the formula,
 * and with a bound on both sides; its streams do so when they end.
 */
// biome-ignore lint/suspicious/noExplicitAny: functions of formulas take anything
type Any = any
declare const require: (name: string) => Any
const { compression }: typeof import('../inside/compression.child.ts') = require('host:compression')

type Method = keyof typeof methods
const methods = {
  gzip: 'Gzip',
  gunzip: 'Gunzip',
  deflate: 'Deflate',
  inflate: 'Inflate',
  deflateRaw: 'DeflateRaw',
  inflateRaw: 'InflateRaw',
  unzip: 'Unzip',
  brotliCompress: 'BrotliCompress',
  brotliDecompress: 'BrotliDecompress',
} as const

const bytesOf = (data: unknown): Uint8Array =>
  typeof data === 'string' ? Buffer.from(data) : (data as Uint8Array)

function callsOf(method: Method): Record<string, unknown> {
  const run = (data: unknown, options: Any) =>
    Buffer.from(compression(method, bytesOf(data), options?.level).buffer as ArrayBuffer)
  const { Transform } = require('node:stream')
  // A function of ES5: packages call it with and without `new`.
  function Stream(this: Any, options?: Any): Any {
    if (!(this instanceof (Stream as Any))) return new (Stream as Any)(options)
    // `ssh2` asks for its class when it is loaded.
    this._handle = {}
    const pieces: Buffer[] = []
    Transform.call(this, {
      transform(piece: Buffer, _encoding: string, done: () => void) {
        pieces.push(piece)
        done()
      },
      flush(done: (error: unknown, bytes?: Buffer) => void) {
        try {
          done(null, run(Buffer.concat(pieces), options))
        } catch (error) {
          done(error)
        }
      },
    })
  }
  Object.setPrototypeOf(Stream.prototype, Transform.prototype)
  Object.setPrototypeOf(Stream, Transform)
  Object.assign(Stream.prototype, {
    close(this: Any, done?: () => void) {
      if (done) process.nextTick(done)
      this.destroy()
    },
    // Bytes come at the end in any case.
    flush(this: Any, ...given: Any[]) {
      const done = given.pop()
      if (typeof done === 'function') process.nextTick(done)
    },
  })
  const name = methods[method]
  Object.defineProperty(Stream, 'name', { value: name })
  return {
    [name]: Stream,
    [`create${name}`]: (options?: Any) => new (Stream as Any)(options),
    [`${method}Sync`]: run,
    [method]: (data: unknown, ...rest: Any[]) => {
      const done = rest.pop()
      if (typeof done !== 'function') throw new TypeError(`zlib.${method} takes a callback`)
      try {
        const bytes = run(data, rest[0])
        process.nextTick(done, null, bytes)
      } catch (error) {
        process.nextTick(done, error)
      }
    },
  }
}

const constants = {
  Z_NO_FLUSH: 0,
  Z_PARTIAL_FLUSH: 1,
  Z_SYNC_FLUSH: 2,
  Z_FULL_FLUSH: 3,
  Z_FINISH: 4,
  Z_BLOCK: 5,
  Z_OK: 0,
  Z_STREAM_END: 1,
  Z_NEED_DICT: 2,
  Z_ERRNO: -1,
  Z_STREAM_ERROR: -2,
  Z_DATA_ERROR: -3,
  Z_MEM_ERROR: -4,
  Z_BUF_ERROR: -5,
  Z_NO_COMPRESSION: 0,
  Z_BEST_SPEED: 1,
  Z_BEST_COMPRESSION: 9,
  Z_DEFAULT_COMPRESSION: -1,
  Z_DEFAULT_STRATEGY: 0,
  Z_DEFAULT_WINDOWBITS: 15,
  Z_DEFAULT_MEMLEVEL: 8,
  Z_DEFAULT_CHUNK: 16_384,
  BROTLI_OPERATION_PROCESS: 0,
  BROTLI_OPERATION_FLUSH: 1,
  BROTLI_OPERATION_FINISH: 2,
  BROTLI_PARAM_MODE: 0,
  BROTLI_PARAM_QUALITY: 1,
  BROTLI_PARAM_SIZE_HINT: 5,
}

export const zlib: Readonly<Record<string, unknown>> = {
  ...Object.assign({}, ...(Object.keys(methods) as Method[]).map(callsOf)),
  ...Object.fromEntries(Object.entries(constants).filter(([name]) => name.startsWith('Z_'))),
  constants,
}
