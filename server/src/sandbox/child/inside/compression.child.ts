import { natives } from './host.child.ts'

const mebibyte = 1024 * 1024
/** More than a request or an answer may have, and less than the memory of a process. */
export const mostCompressedBytes = 16 * mebibyte

/** Compresses or decompresses bytes by a method of Node's `zlib`, such as `gunzip`. @throws {RangeError} for more than 16 MiB, in or out */
export function compression(method: string, data: unknown, level?: unknown): Uint8Array {
  const given = level === undefined ? undefined : Number(level)
  const result = natives.compress(`${method}`, data, given, mostCompressedBytes)
  if (result === 'length') {
    throw Object.assign(new RangeError(`zlib.${method}: more than ${mostCompressedBytes / mebibyte} MiB`), {
      code: 'ERR_BUFFER_TOO_LARGE',
    })
  }
  if (!result) {
    throw Object.assign(new Error(`zlib.${method}: the data is not valid`), {
      code: 'Z_DATA_ERROR',
      errno: -3,
    })
  }
  return result
}
