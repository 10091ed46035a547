import type { ClientBase, Pool } from 'pg'
import { clearTimeout, monotonicMs, setTimeout } from '../../../base/time/real-time.ts'
import { withClient } from './connect.ts'
import { DatabaseRefused } from './database-errors.ts'
import { codeOf, isDown } from './faults.ts'
import { checkSchema } from './schema.ts'
import { timeAndState } from './sql.ts'

/** Clocks drift by seconds a day. */
const everyMs = 60_000
const everyMsOfFailure = 500

/** The fastest of this many queries is used, as its time is the most precise. */
const questions = 3

const takesNoWrites = 'the database takes no writes'

/**
 * Asks the database for its time, and if it can be written to: once a minute, and more often from the first failure until
 * it answers again. All processes that share the database agree by its time on what is due, regardless of their own clocks.
 */
export class Pulse {
  readonly #pool: Pool
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  /** The database's time when the monotonic clock of this process was zero. */
  #atZeroMs = 0
  /** Why the database cannot be written to. */
  failure: string | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Asks for the first time. */
  async start(): Promise<void> {
    this.#atZeroMs = (await withClient(this.#pool, measure)).atZeroMs
    this.#askLater()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** The database's time in epoch milliseconds. */
  nowMs(): number {
    return Math.floor(this.#atZeroMs + monotonicMs())
  }

  /** Records an error, unless it concerns only its own statement. */
  failed(error: unknown): void {
    if (!isDown(error)) return
    const isKnown = this.failure !== undefined
    this.failure = reasonOf(error)
    if (!isKnown) this.#askLater()
  }

  #askLater(): void {
    clearTimeout(this.#timer)
    if (this.#isStopped) return
    const afterMs = this.failure === undefined ? everyMs : everyMsOfFailure
    this.#timer = setTimeout(() => void this.#ask(), afterMs).unref()
  }

  async #ask(): Promise<void> {
    try {
      const { atZeroMs, isReadOnly } = await withClient(this.#pool, async client => {
        const measured = await measure(client)
        // A database that tells its time may still refuse its tables.
        if (this.failure !== undefined && !measured.isReadOnly) await checkSchema(client)
        return measured
      })
      this.#atZeroMs = atZeroMs
      // A standby responds, but accepts no writes.
      this.failure = isReadOnly ? takesNoWrites : undefined
    } catch (error) {
      if (this.failure !== undefined || isDown(error)) this.failure = reasonOf(error)
    }
    this.#askLater()
  }
}

async function measure(
  client: ClientBase,
): Promise<{ readonly atZeroMs: number; readonly isReadOnly: boolean }> {
  let best = { tookMs: Number.POSITIVE_INFINITY, atZeroMs: 0, isReadOnly: false }
  for (let question = 0; question < questions; question++) {
    const asked = monotonicMs()
    const { rows } = await client.query<[string, boolean]>({ text: timeAndState, rowMode: 'array' })
    const tookMs = monotonicMs() - asked
    if (tookMs >= best.tookMs) continue
    const [timeMs, isReadOnly = false] = rows[0] ?? []
    best = { tookMs, atZeroMs: Number(timeMs) - (asked + tookMs / 2), isReadOnly }
  }
  return best
}

const reasons: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^53100/, 'the disk of the database is full'],
  [/^53300/, 'the database has no connection left for us'],
  [/^25006/, takesNoWrites],
  [/^28/, 'the database refuses our user or its password'],
  [/^55000/, 'the database accepts no connections'],
  [/^42501/, 'our user of the database lacks rights'],
  [/^(3D|3F|42P01)/, 'the database, its schema or its tables are gone or hidden from our user'],
]

function reasonOf(error: unknown): string {
  if (error instanceof DatabaseRefused) return error.message
  const code = codeOf(error)
  return reasons.find(([pattern]) => pattern.test(code))?.[1] ?? 'the database does not answer'
}
