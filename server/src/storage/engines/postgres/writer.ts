import type { Pool } from 'pg'
import { oncePerTurn } from '../../../base/flow/event-loop.ts'
import { Heads } from '../../index/edits.ts'
import { bytesOf, type Commit } from '../../port/decide.ts'
import { type CommitResult, checkCommit, StoreUnavailable, type Write } from '../../port/port.ts'
import { withClient } from './connect.ts'
import { orUnavailable, withRetries } from './faults.ts'
import { commitGroup } from './transaction.ts'

interface Job extends Commit {
  readonly tenants: ReadonlySet<string>
  readonly bytes: number
  readonly resolve: (result: CommitResult) => void
  readonly reject: (reason: unknown) => void
}

// All callers of a group wait for the whole group.
const mostWrites = 512
const mostBytes = 4 << 20

/**
 * Groups waiting commits into transactions: those of one tenant share a transaction, and tenants have theirs
 * concurrently. Commits that arrive during a transaction of their tenant share the next one, because a concurrent one
 * would only wait for its locks. Commits of a tenant are decided in the order of their arrival.
 */
export class Writer {
  readonly #pool: Pool
  readonly #mostAtOnce: number
  readonly #onFailure: (error: unknown) => void
  readonly #heads = new Heads()
  #waiting: Job[] = []
  /** The tenants of running transactions. */
  readonly #busy = new Set<string>()
  readonly #running = new Set<Promise<void>>()
  /** Not at once: other commits of this turn share the transaction. */
  readonly #beginLater = oncePerTurn(() => this.#begin())
  #stopped = false

  constructor(pool: Pool, mostAtOnce: number, onFailure: (error: unknown) => void) {
    this.#pool = pool
    this.#mostAtOnce = mostAtOnce
    this.#onFailure = onFailure
  }

  async commit(writes: readonly Write[], nowUs: number): Promise<CommitResult> {
    checkCommit(writes, nowUs)
    if (writes.length === 0) return { ok: true, written: [] }
    if (this.#stopped) throw new StoreUnavailable('the store is closed')
    return new Promise((resolve, reject) => {
      const tenants = new Set(writes.map(({ tenant }) => tenant))
      this.#waiting.push({ writes, nowUs, tenants, bytes: bytesOf(writes), resolve, reject })
      this.#beginLater()
    })
  }

  /** Refuses new work, and resolves when accepted work is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#begin()
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #begin(): void {
    while (this.#running.size < this.#mostAtOnce) {
      const group = this.#take()
      const [first] = group
      if (!first) return
      for (const tenant of first.tenants) this.#busy.add(tenant)
      const running: Promise<void> = this.#write(group).finally(() => {
        for (const tenant of first.tenants) this.#busy.delete(tenant)
        this.#running.delete(running)
        this.#begin()
      })
      this.#running.add(running)
    }
  }

  /** Takes the first commit whose tenants are free, and those that can join it. The order per tenant is kept. */
  #take(): Job[] {
    const blocked = new Set(this.#busy)
    const rest: Job[] = []
    const group: Job[] = []
    let writes = 0
    let bytes = 0
    for (const job of this.#waiting) {
      const fits =
        group.length === 0 ||
        (isSame(job.tenants, group[0]?.tenants) &&
          writes + job.writes.length <= mostWrites &&
          bytes + job.bytes <= mostBytes)
      if (fits && ![...job.tenants].some(tenant => blocked.has(tenant))) {
        writes += job.writes.length
        bytes += job.bytes
        group.push(job)
      } else {
        rest.push(job)
        for (const tenant of job.tenants) blocked.add(tenant)
      }
    }
    this.#waiting = rest
    return group
  }

  async #write(group: readonly Job[]): Promise<void> {
    try {
      const transact = () => withClient(this.#pool, client => commitGroup(client, group, this.#heads))
      const results = await orUnavailable(this.#onFailure, () => withRetries(transact))
      for (const [at, job] of group.entries()) job.resolve(results[at] as CommitResult)
    } catch (reason) {
      for (const job of group) job.reject(reason)
    }
  }
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string> | undefined): boolean {
  return a.size === b?.size && [...a].every(tenant => b.has(tenant))
}
