import { DevAssertionError } from './assertion-error.ts'
import { devLeaksFind } from './generated/operations.gen.ts'
import type { DevLeak } from './generated/types.gen.ts'
import { misspeltIn } from './resembling.ts'
import type { DevSend, FilesIn } from './send.ts'
import { textsOf } from './texts.ts'
import { type DevWritable, watchStream } from './watch.ts'

/**
 * A place where a value of a token was found. It does not contain the value.
 *
 * @example
 * ```ts
 * const { places } = await dev.leaks.find(log)
 * const [place]: DevLeakPlace[] = places
 * ```
 */
export interface DevLeakPlace {
  /** The file, if a folder was searched. */
  readonly file?: string
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
  /** Absent for a value of a request that was refused, or whose token is gone. */
  readonly tokenId?: string | undefined
  readonly spelling: DevLeak['spelling']
}

/**
 * The result of a search for leaks.
 *
 * @example
 * ```ts
 * const report: DevLeakReport = await dev.leaks.find(log)
 * assert.deepEqual(report.places, [])
 * ```
 */
export interface DevLeakReport {
  readonly places: readonly DevLeakPlace[]
  /** Number of values that were searched for. */
  readonly values: number
  /** Number of values that are too short to be searched for. */
  readonly skipped: number
  /** Number of characters that were searched. */
  readonly searched: number
}

/**
 * Options of a search for leaks.
 *
 * @example
 * ```ts
 * const options: DevLeakOptions = { allowSilence: true }
 * ```
 */
export interface DevLeakOptions {
  /**
   * Resolves also if nothing was written, or the tenant has no value to search for: otherwise that is an error, since no
   * leak could have been found.
   */
  readonly allowSilence?: boolean
}

/**
 * Finds values of the tenant's tokens in what an application wrote.
 *
 * @example
 * ```ts
 * const leaks: DevLeaks = dev.leaks
 * const watch = leaks.watch(process.stdout)
 * await runTheTest()
 * assert.deepEqual((await watch.end()).places, [])
 * ```
 */
export interface DevLeaks {
  /**
   * @param source a text, a stream of texts or bytes in UTF-8, UTF-16 or gzip, or, of a vault in this process, a folder: all files in it
   * and below it, without those behind links
   * @throws {DevAssertionError} if there was nothing to search, or nothing to search for
   */
  find(source: DevLeakSource | { readonly folder: string }, options?: DevLeakOptions): Promise<DevLeakReport>
  /**
   * Keeps what is written to a stream from now on; of `process.stdout` and `process.stderr` also what `console` prints, which
   * test runners write elsewhere. `end` stops that and searches it. Watches of one stream may overlap.
   */
  watch(stream: DevWritable, options?: DevLeakOptions): DevLeakWatch
}

/**
 * What an application wrote, whole or in parts.
 *
 * @example
 * ```ts
 * const source: DevLeakSource = createReadStream('dump.sql')
 * ```
 */
export type DevLeakSource = string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/**
 * A stream that is watched.
 *
 * @example
 * ```ts
 * const watch: DevLeakWatch = dev.leaks.watch(process.stdout)
 * ```
 */
export interface DevLeakWatch {
  /** @throws {DevAssertionError} if nothing was written, or there is nothing to search for */
  end(): Promise<DevLeakReport>
}

/** Characters of a request. In UTF-8 one takes at most three bytes, and a body has at most 1 MiB. */
const partLength = 340_000
/** The longest spelling of a value, which could lie across two parts. */
const overlap = 4000

export function leaks(send: DevSend, filesIn: FilesIn | undefined): DevLeaks {
  const find = async (source: DevLeakSource): Promise<DevLeakReport> => {
    const places = new Map<string, DevLeakPlace>()
    let [values, skipped, line, lineAt, from] = [0, 0, 1, 0, 0]
    let part = 1
    let rest = ''
    const search = async (text: string, isLast: boolean) => {
      const found = await send(devLeaksFind, { body: text, query: { part: part++ } })
      ;({ values, skipped } = found)
      const next = isLast ? text.length : Math.max(0, text.length - overlap)
      const sorted = [...found.places].sort((a, b) => a.offset - b.offset)
      let at = 0
      const moveTo = (end: number) => {
        for (
          let feed = text.indexOf('\n', at);
          feed !== -1 && feed < end;
          feed = text.indexOf('\n', feed + 1)
        ) {
          line++
          lineAt = from + feed + 1
        }
        at = end
      }
      // Places in what is sent again are reported with the next part.
      for (const { offset, token_id: tokenId, spelling } of sorted.filter(place => place.offset < next)) {
        moveTo(offset)
        const column = from + offset - lineAt + 1
        places.set(`${from + offset} ${tokenId}`, { line, column, tokenId, spelling })
      }
      moveTo(next)
      from += next
      rest = text.slice(next)
    }
    for await (const text of texts(source)) {
      rest += text
      while (rest.length >= partLength) {
        const tail = rest.slice(partLength)
        await search(rest.slice(0, partLength), false)
        rest += tail
      }
    }
    await search(rest, true)
    return { places: [...places.values()], values, skipped, searched: from }
  }
  const findInFolder = async (folder: string): Promise<DevLeakReport> => {
    if (!filesIn)
      throw new Error('folders need a vault in this process; use the command `surrogate-server leaks`')
    const places: DevLeakPlace[] = []
    let { values, skipped, searched } = await find('')
    for await (const { file, read } of filesIn(folder)) {
      const report = await find(read())
      ;({ values, skipped } = report)
      searched += report.searched
      places.push(...report.places.map(place => ({ file, ...place })))
    }
    return { places, values, skipped, searched }
  }
  return {
    find: async (source, options) => {
      if (typeof Object(source).folder === 'string')
        return proven(await findInFolder(Object(source).folder), options)
      if (isSource(source)) return proven(await find(source), options)
      throw new TypeError(
        `leaks.find takes a text, a stream, a list of texts, or { folder: 'logs' }${misspeltIn(source, ['folder'])}`,
      )
    },
    watch: (stream, options) => {
      const end = watchStream(stream)
      return { end: async () => proven(await find(end()), options) }
    },
  }
}

/** Returns a report that could have had a place in it. @throws {DevAssertionError} */
function proven(report: DevLeakReport, { allowSilence = false }: DevLeakOptions = {}): DevLeakReport {
  const { places, values, searched } = report
  if (allowSilence || places.length > 0 || (values > 0 && searched > 0)) return report
  const missing =
    searched === 0
      ? 'nothing was written, so that no leak could be found: does the application write elsewhere?'
      : 'this tenant has no value to search for, so that no leak could be found: is it the tenant of the application?'
  throw new DevAssertionError(missing, ' ({ allowSilence: true } if that is right)', {
    actual: searched === 0 ? searched : values,
    expected: 'at least 1',
  })
}

function isSource(source: unknown): source is DevLeakSource {
  const { [Symbol.iterator]: each, [Symbol.asyncIterator]: eachLater } = Object(source)
  return typeof source === 'string' || typeof (each ?? eachLater) === 'function'
}

async function* texts(source: DevLeakSource): AsyncGenerator<string> {
  if (typeof source === 'string') {
    for (let at = 0; at < source.length; at += partLength) yield source.slice(at, at + partLength)
    return
  }
  yield* textsOf(source)
}
