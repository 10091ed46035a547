import type { Pool } from 'pg'
import { databaseTime } from './sql.ts'

/** How often the database is asked what time it is. Crystals drift by seconds a day. */
const everyMs = 60_000

/** The shortest of so many questions tells the time best: the answer is at most half its way old. */
const questions = 3

/**
 * The time of the database, which is the one that counts: processes that share it agree on what is over,
 * whatever their own clocks say. In between the process counts on by its monotonic clock.
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
    return Math.floor(this.#atZeroMs + performance.now())
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #ask(): Promise<void> {
    // A database that does not answer now is asked again; what was learned holds until then.
    this.#atZeroMs = await measure(this.#pool).catch(() => this.#atZeroMs)
  }
}

/** What the database's clock showed when the process's monotonic clock stood at zero. */
async function measure(pool: Pool): Promise<number> {
  const client = await pool.connect()
  let best = { tookMs: Number.POSITIVE_INFINITY, atZeroMs: 0 }
  try {
    for (let question = 0; question < questions; question++) {
      const asked = performance.now()
      const { rows } = await client.query<[string]>({ text: databaseTime, rowMode: 'array' })
      const tookMs = performance.now() - asked
      if (tookMs >= best.tookMs) continue
      best = { tookMs, atZeroMs: Number(rows[0]?.[0]) - (asked + tookMs / 2) }
    }
    return best.atZeroMs
  } finally {
    client.release()
  }
}
