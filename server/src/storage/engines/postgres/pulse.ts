import type { Pool } from 'pg'
import { clearTimeout, monotonicMs, setTimeout } from '../../../base/time/real-time.ts'
import { withClient } from './connect.ts'
import { codeOf, isDown } from './faults.ts'
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
    this.#atZeroMs = (await measure(this.#pool)).atZeroMs
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
      const { atZeroMs, isReadOnly } = await measure(this.#pool)
      this.#atZeroMs = atZeroMs
      // A standby responds, but accepts no writes.
      this.failure = isReadOnly ? takesNoWrites : undefined
    } catch (error) {
      if (this.failure !== undefined || isDown(error)) this.failure = reasonOf(error)
    }
    this.#askLater()
  }
}

function measure(pool: Pool): Promise<{ readonly atZeroMs: number; readonly isReadOnly: boolean }> {
  return withClient(pool, async client => {
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
  })
}

function reasonOf(error: unknown): string {
  const code = codeOf(error)
  if (code === '53100') return 'the disk of the database is full'
  if (code === '53300') return 'the database has no connection left for us'
  return code === '25006' ? takesNoWrites : 'the database does not answer'
}
