import { createReadStream } from 'node:fs'
import { decodeUtf8 } from '../../../base/json/json.ts'
import { limits } from '../../../generated/facts.ts'
import { ConfigError } from '../../config-error.ts'

/** Why a line is not a request for a token: a code, and which column or member does not fit. Never a value. */
export interface Misfit {
  readonly code: string
  readonly at?: string
}

/** A line of a file, by its number from 1. */
type Line = { readonly line: number } & ({ readonly text: string } | { readonly misfit: Misfit })

/**
 * Yields the lines of a file. Only one is in memory, and nothing of one that is longer than the body of a request.
 * @throws {ConfigError} if the file cannot be read
 */
// Not `readline`: it keeps a line of any length, ends lines at U+2028, and replaces bytes that are not UTF-8.
export async function* linesOf(file: string): AsyncGenerator<Line> {
  let line = 1
  let parts: Buffer[] = []
  let length = 0
  const add = (part: Buffer) => {
    length += part.length
    if (length > limits.bodyBytes) parts = []
    else parts.push(part)
  }
  const end = (): Line => {
    const isTooLong = length > limits.bodyBytes
    const text = isTooLong ? undefined : decodeUtf8(Buffer.concat(parts))
    const ended =
      text === undefined
        ? { line, misfit: { code: isTooLong ? 'too_long' : 'not_utf8' } }
        : { line, text: line === 1 ? text.replace(/^\uFEFF/, '') : text }
    line++
    parts = []
    length = 0
    return ended
  }
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      let from = 0
      for (let to = chunk.indexOf('\n'); to !== -1; to = chunk.indexOf('\n', from)) {
        add(chunk.subarray(from, to))
        yield end()
        from = to + 1
      }
      add(chunk.subarray(from))
    }
    if (length > 0) yield end()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw new ConfigError(`the file ${file} cannot be read`)
  }
}
