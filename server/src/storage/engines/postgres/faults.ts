import { setTimeout as wait } from 'node:timers/promises'
import { StoreUnavailable } from '../../port/port.ts'

/** The database rolled the transaction back because of another one; a retry may succeed. */
const retryable = new Set(['40001', '40P01'])

const tries = 6
const longestWaitMs = 40

/** Runs a transaction, and retries it after serialization failures and deadlocks. */
export async function withRetries<Result>(
  transaction: () => Promise<Result>,
  chance: () => number = Math.random,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === tries || !retryable.has(codeOf(error))) throw error
      // With jitter, so that two transactions do not meet again.
      await wait(chance() * longestWaitMs * attempt)
    }
  }
}

/**
 * Codes of a database that cannot work at the moment, or that refuses our user: its password was changed, it was
 * locked out, or it lost rights, so that it does not see the tables. 08P01, a protocol violation, would be a bug of ours.
 */
const outages = /^(08(?!P01)|28|3D000|3F000|42501|42P01|53|55000|57|58|25006|25P03|25P04|55P03|40)/
const lostConnection = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|EACCES)/
const driverSays =
  /Connection terminated|timeout exceeded|Query read timeout|not queryable|Client was closed|pool after calling end/i

/** What Citus says, with the code of an internal error (XX000), when a node ends during a transaction. */
const nodeEnded = /^could not commit transaction for shard|^failure on connection marked as essential/

/** True if the database cannot be reached or cannot work, as opposed to a statement that is wrong. */
export function isOutage(error: unknown): boolean {
  const [code, message] = [codeOf(error), messageOf(error)]
  return (
    outages.test(code) ||
    lostConnection.test(code) ||
    driverSays.test(message) ||
    (code === 'XX000' && nodeEnded.test(message))
  )
}

/**
 * Failures of a single statement or transaction: a timeout, a conflict with another one, or a node of a distributed
 * database that the node which said this cannot reach.
 */
const ofOneStatement = /^(57014|55P03|25P0[34]|40|08|XX)/

/** All connections were in use for too long, which is load, not an outage. */
const poolIsFull = 'timeout exceeded when trying to connect'

/** True if the next request would probably fail too. */
export function isDown(error: unknown): boolean {
  return isOutage(error) && !ofOneStatement.test(codeOf(error)) && messageOf(error) !== poolIsFull
}

/** Turns an outage into `StoreUnavailable`. The database's own text is only in its cause. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailable || !isOutage(error)) return error
  return new StoreUnavailable('the database cannot answer at the moment', { cause: error })
}

/** Runs work, and turns an outage into `StoreUnavailable` after reporting it. */
export async function orUnavailable<Result>(
  onOutage: (error: unknown) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const reason = asUnavailable(error)
    if (reason !== error) onOutage(error)
    throw reason
  }
}

export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}
