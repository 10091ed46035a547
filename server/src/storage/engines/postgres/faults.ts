import { setTimeout as wait } from 'node:timers/promises'
import { StoreUnavailable } from '../../port.ts'

/** Two transactions stood in each other's way; the database undid this one, and a second try may well succeed. */
const again = new Set(['40001', '40P01'])

const tries = 6
const longestWaitMs = 40

/** Runs a transaction again where the database asked for that. */
export async function withRetries<Result>(
  transaction: () => Promise<Result>,
  chance: () => number = Math.random,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === tries || !again.has(codeOf(error))) throw error
      // By chance, so that two of them do not meet again.
      await wait(chance() * longestWaitMs * attempt)
    }
  }
}

/** Codes, or the first two characters of them, with which a database says that it cannot at the moment. */
// All of class 08 but a breach of the protocol, which would be a fault of ours.
const outages = /^(08(?!P01)|53|57|58|25006|25P03|25P04|55P03|40)/
const lostConnection = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|EACCES)/
const driverSays =
  /Connection terminated|timeout exceeded|Query read timeout|not queryable|Client was closed|pool after calling end/i

/** Whether the database did not answer, rather than answered that something is wrong. */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error)
  return outages.test(code) || lostConnection.test(code) || driverSays.test(messageOf(error))
}

/** Ends of one statement or transaction that say nothing of the next: it took too long, or others stood in its way. */
const ofOneStatement = /^(57014|55P03|25P0[34]|40)/

/** All connections were in use for too long: much is asked for, and no database said no. */
const poolIsFull = 'timeout exceeded when trying to connect'

/** Whether the next request would hardly fare better. */
export function isDown(error: unknown): boolean {
  return isOutage(error) && !ofOneStatement.test(codeOf(error)) && messageOf(error) !== poolIsFull
}

/** The error as the port knows it. The database's own text stays with it as its cause, and in no answer. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailable || !isOutage(error)) return error
  return new StoreUnavailable('the database cannot answer at the moment', { cause: error })
}

export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}
