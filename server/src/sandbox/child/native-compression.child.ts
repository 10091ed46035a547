import type Zlib from 'node:zlib'
import { attempt, fresh, window } from './native-bytes.child.ts'

const methodsOf = (zlib: typeof Zlib) => ({
  gzip: zlib.gzipSync,
  gunzip: zlib.gunzipSync,
  deflate: zlib.deflateSync,
  inflate: zlib.inflateSync,
  deflateRaw: zlib.deflateRawSync,
  inflateRaw: zlib.inflateRawSync,
  unzip: zlib.unzipSync,
  brotliCompress: zlib.brotliCompressSync,
  brotliDecompress: zlib.brotliDecompressSync,
})
/** Loaded at the first use: few formulas compress. */
let methods: ReturnType<typeof methodsOf> | undefined

/** Returns new bytes, `length` if there are too many on either side, or `undefined` for bytes that are not valid. */
export function compress(method: string, data: unknown, level: number | undefined, most: number) {
  methods ??= methodsOf(process.getBuiltinModule('node:zlib'))
  const bytes = window(data)
  if (!Object.hasOwn(methods, method) || !bytes) return undefined
  if (bytes.length > most) return 'length'
  try {
    const options = { maxOutputLength: most, ...(level === undefined ? {} : { level }) }
    return fresh(methods[method as keyof typeof methods](bytes, options))
  } catch (error) {
    return attempt(() => (error as NodeJS.ErrnoException).code) === 'ERR_BUFFER_TOO_LARGE'
      ? 'length'
      : undefined
  }
}
