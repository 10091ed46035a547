import { stat } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { JsonValue } from '../../../base/json/json.ts'
import { sha256 } from '../../../crypto/digest.ts'
import { APIError } from '../../../generated/client/errors.ts'
import { tokensCreate } from '../../../generated/client/generated/operations.gen.ts'
import type { CreateTokenRequest } from '../../../generated/client/generated/types.gen.ts'
import type { Send } from '../../../generated/client/transport.ts'
import { ConfigError } from '../../config-error.ts'
import { reportFailure } from '../client/run.ts'
import { escaped } from '../client/show.ts'
import { formatCount } from '../command.ts'
import { Progress } from './progress.ts'
import { csvRecords, type ImportRecord, ndjsonRecords } from './records.ts'

interface Import {
  readonly file: string
  /** Of a CSV file. */
  readonly template: string | undefined
  readonly progress: string
  readonly concurrency: number
  /** Prints a line. Rejects once nobody reads what is printed. */
  readonly print: (line: string) => Promise<void>
  readonly onProgress: (line: string) => void
}

/** How often a request is sent again, by the waits of the client: also while a busy server says 429 for minutes. */
const mostRetries = 20
/** A request of an import that was interrupted is over by then: the key has another request, of a file that has changed. */
const mostConflicts = 120
const conflictMs = 500

/** Creates a token for each record of a file that has none yet. Resolves with the exit code. @throws {OperatorError} */
export async function runImport(send: Send, given: Import): Promise<number> {
  const { file, template, concurrency, print, onProgress } = given
  const progress = await Progress.open(given.progress, await sourceOf(file, template))
  const records = template === undefined ? ndjsonRecords(file) : csvRecords(file, template)
  const running = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  const one = async (record: ImportRecord) => {
    const { line } = record
    const outcome = 'misfit' in record ? record.misfit : await create(send, record.body, progress, line)
    // Before it counts as done: whoever reads the lines misses none.
    await print(escaped(JSON.stringify({ line, ...outcome })))
    await progress.end(line, 'id' in outcome ? 'created' : 'refused')
  }
  try {
    for await (const record of records) {
      if (progress.isDone(record.line)) continue
      while (running.size >= concurrency || progress.isFull) await Promise.race(running)
      if (failure) break
      progress.begin(record.line)
      const task: Promise<void> = one(record)
        .catch(error => {
          failure ??= { error }
        })
        .finally(() => running.delete(task))
      running.add(task)
    }
  } finally {
    await Promise.all(running)
    await progress.write()
  }
  const { created, refused } = progress.counts
  onProgress(`${formatCount(created)} tokens created, ${formatCount(refused)} lines refused`)
  if (!failure) return refused === 0 ? 0 : 1
  const { error } = failure as { readonly error: unknown }
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 0
  const { exitCode } = reportFailure(error, onProgress)
  onProgress('run the command again to go on; within 24 hours no token is created twice')
  return exitCode
}

/** Tells a file and its template from others: by another template, the same line is another token. */
async function sourceOf(file: string, template = ''): Promise<string> {
  const { size, mtimeMs } = await stat(file).catch(() => {
    throw new ConfigError(`the file ${file} cannot be read`)
  })
  return `${size} bytes of ${mtimeMs}, template ${sha256(template)}`
}

/** The id of a new token, or why the server refused it: without its texts, and with names of members only. */
type Outcome =
  | { readonly id: string }
  | { readonly status: number; readonly code: string; readonly at?: string }

/** @throws what concerns all records, such as an unknown key or a lost server */
async function create(send: Send, body: JsonValue, progress: Progress, line: number): Promise<Outcome> {
  const options = { idempotencyKey: progress.keyOf(line), maxRetries: mostRetries }
  for (let conflicts = 0; ; conflicts++) {
    try {
      const { id } = await send(tokensCreate, { body: body as unknown as CreateTokenRequest }, options)
      return { id }
    } catch (error) {
      if (!(error instanceof APIError) || !isOfRecord(error.status, progress)) throw error
      const code = error.problem?.type.replace(/^urn:surrogate:error:/, '') ?? 'unknown'
      const at = Object.keys(error.errors).join(', ')
      if (code !== 'idempotency_conflict' || conflicts === mostConflicts)
        return { status: error.status, code, ...(at === '' ? {} : { at }) }
      // The request of an import that was interrupted is still under way.
      await wait(conflictMs)
    }
  }
}

/** True for a status that is about the record alone. A key that has created no token yet may hold no right to. */
const isOfRecord = (status: number, { counts }: Progress) =>
  [400, 409, 413, 422].includes(status) || (status === 403 && counts.created > 0)
