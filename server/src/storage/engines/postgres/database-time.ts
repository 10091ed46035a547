import type { Pool } from 'pg'
import { clearInterval, monotonicMs, setInterval } from '../../../base/time/real-time.ts'
import { withClient } from './connect.ts'
import { databaseTime } from './sql.ts'

/** Interval of reading the database's time. Clocks drift by seconds a day. */
const everyMs = 60_000

/** The fastest of this many queries is used, as its result is the most precise. */
const questions = 3

/**
 * The time of the database, so that all processes that share it agree on what is due, regardless of their own clocks.
 * Between two queries the process's monotonic clock is added.
 */
export class DatabaseTime {
  readonly #pool: Pool
  readonly #timer: NodeJS.Timeout
  #atZeroMs: number

  private constructor(pool: Pool, atZeroMs: number) {
    this.#pool = pool
    this.#atZeroMs = atZeroMs
    this.#timer = setInterval(() => void this.#ask(), everyMs)
    this.#timer.unref()
  }

  static async start(pool: Pool): Promise<DatabaseTime> {
    return new DatabaseTime(pool, await measure(pool))
  }

  /** Epoch milliseconds. */
  nowMs(): number {
    return Math.floor(this.#atZeroMs + monotonicMs())
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #ask(): Promise<void> {
    // After a failure the last measurement stays in use until the next query.
    this.#atZeroMs = await measure(this.#pool).catch(() => this.#atZeroMs)
  }
}

/** Measures the database's time when the process's monotonic clock was zero. */
function measure(pool: Pool): Promise<number> {
  return withClient(pool, async client => {
    let best = { tookMs: Number.POSITIVE_INFINITY, atZeroMs: 0 }
    for (let question = 0; question < questions; question++) {
      const asked = monotonicMs()
      const { rows } = await client.query<[string]>({ text: databaseTime, rowMode: 'array' })
      const tookMs = monotonicMs() - asked
      if (tookMs >= best.tookMs) continue
      best = { tookMs, atZeroMs: Number(rows[0]?.[0]) - (asked + tookMs / 2) }
    }
    return best.atZeroMs
  })
}
