import { holds } from '../access/caller.ts'
import { errorRegistry, ServiceError } from '../base/errors.ts'
import type { Receipt } from '../storage/transact.ts'
import type { Job } from '../webhooks/job.ts'
import type { ReactorsContext } from './context.ts'
import { refusalOf } from './outcome.ts'
import { prepare } from './prepare.ts'
import { run } from './react.ts'
import { type KeptReaction, keep, type Reaction, settle } from './reaction.ts'

/** A job that was refused, then or now, by us or by the formula. */
export interface Refused {
  readonly kind: 'refused'
  readonly error: ServiceError
}

/** What came of a job; `busy` where nothing was done, as there is no room to run it: try again later. */
export type Performed = Reaction | Refused | { readonly kind: 'busy' }

/**
 * Runs a job. Whatever comes of it, `companion`'s writes are committed once: together with the tokens, where the
 * formula asked for any, so that a job that is done has its tokens, and one that is not has none.
 *
 * @throws {ServiceError} idempotency_conflict, where these writes do not hold: another process has done the job
 * @throws {StoreUnavailable} nothing was done: try again later
 */
export async function performReaction(
  context: ReactorsContext,
  job: Job,
  receipt: Receipt<KeptReaction | Refused>,
): Promise<Performed> {
  try {
    const caller = await context.callerAgain(job)
    if (!caller) throw new ServiceError('unauthenticated', 'the caller is gone or expired')
    if (!holds(caller, 'token:use'))
      throw new ServiceError('permission_denied', 'the caller does not hold token:use')
    const prepared = await prepare(context, caller, job)
    const { timeoutMs, depth } = job
    const outcome = await run(context, caller, prepared, { timeoutMs, lane: 'async', depth })
    if (outcome.kind === 'busy') return outcome
    if (outcome.kind !== 'answered' && outcome.kind !== 'custom') throw refusalOf(outcome)
    return await settle(context, caller, outcome, receipt)
  } catch (error) {
    if (!isAnswer(error)) throw error
    const refused: Refused = { kind: 'refused', error }
    return keep(context, refused, receipt)
  }
}

/** Whether a refusal is what the caller is to be told; the others are about the attempt. */
function isAnswer(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  if (error.code === 'reactor_runtime') return true
  return error.code !== 'idempotency_conflict' && errorRegistry[error.code].status < 500
}
