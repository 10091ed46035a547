import type { Pool } from 'pg'
import { clearTimeout, setTimeout } from '../../../base/time/real-time.ts'
import { codeOf, isDown } from './faults.ts'
import { isReadOnly } from './sql.ts'

const probeEveryMs = 500

/** Knows why the database cannot be written to, from the first failure until a probe succeeds. */
export class Health {
  readonly #pool: Pool
  #failure: string | undefined
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(pool: Pool) {
    this.#pool = pool
  }

  get failure(): string | undefined {
    return this.#failure
  }

  /** Records an error, unless it concerns only its own statement. */
  failed(error: unknown): void {
    if (!isDown(error)) return
    this.#failure = reasonOf(error)
    this.#probeLater()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #probeLater(): void {
    if (this.#timer || this.#stopped) return
    this.#timer = setTimeout(() => void this.#probe(), probeEveryMs)
    this.#timer.unref()
  }

  async #probe(): Promise<void> {
    try {
      const { rows } = await this.#pool.query<{ transaction_read_only: string }>(isReadOnly)
      // A standby responds, but accepts no writes.
      this.#failure = rows[0]?.transaction_read_only === 'on' ? 'the database takes no writes' : undefined
    } catch (error) {
      this.#failure = reasonOf(error)
    }
    this.#timer = undefined
    if (this.#failure !== undefined) this.#probeLater()
  }
}

function reasonOf(error: unknown): string {
  const code = codeOf(error)
  if (code === '53100') return 'the disk of the database is full'
  if (code === '53300') return 'the database has no connection left for us'
  if (code === '25006') return 'the database takes no writes'
  return 'the database does not answer'
}
