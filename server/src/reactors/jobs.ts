import { holds } from '../access/caller.ts'
import { jobCaller } from '../access/delegation.ts'
import type { Room } from '../access/room.ts'
import { errorRegistry, ServiceError } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import { toProblem } from '../base/problem.ts'
import type { Receipt } from '../storage/port/transact.ts'
import type { Job } from '../webhooks/job.ts'
import type { JobAnswer } from '../webhooks/reaction.ts'
import { NoRoom } from '../webhooks/webhook-parts.ts'
import { refusalOf, wordsOfFormula } from './outcome.ts'
import { prepare, type ReactInput } from './prepare.ts'
import { keep, run, settle } from './react.ts'
import type { ReactorParts, TenantReactors } from './reactor-parts.ts'

/**
 * Accepts an asynchronous invocation. It is validated completely now; the data of tokens read for that is dropped, and
 * read again when the job runs.
 *
 * @throws {ServiceError} like `prepare`, `Jobs.checkCallback` and `Jobs.accept`
 */
// Requirements: INV-511
export async function acceptReaction(
  reactors: TenantReactors,
  input: ReactInput,
  wanted: { readonly callbackUrl: string; readonly timeoutMs: number },
  receipt?: Receipt,
): Promise<void> {
  const { parts, caller } = reactors
  const { jobs } = parts
  await jobs.checkCallback(wanted.callbackUrl)
  await prepare(reactors, input)
  await jobs.accept(
    {
      tenant: caller.tenant,
      application: caller.application,
      ...(caller.session === undefined ? {} : { session: caller.session }),
      reactor: input.reactor,
      args: input.args,
      ...wanted,
      traceId: input.traceId,
      depth: input.depth,
    },
    receipt,
  )
}

/**
 * Runs a job. Its answer is committed once: with the tokens, if the formula asked for any, so that a job that is done
 * has its tokens and one that is not has none.
 *
 * @throws {NoRoom} if no process is free to run it
 * @throws {ServiceError} idempotency_conflict, if another process has done the job
 * @throws {StoreUnavailable} nothing was done: try again later
 */
// Requirements: INV-512
export async function performJob(
  all: Room<ReactorParts>,
  job: Job,
  receipt: Receipt<JobAnswer>,
): Promise<JobAnswer> {
  const { parts } = all
  try {
    const caller = await jobCaller(parts.records, job, parts.clock.nowUs())
    if (!caller) throw new ServiceError('unauthenticated', 'the caller is gone or expired')
    if (!holds(caller, 'token:use'))
      throw new ServiceError('permission_denied', 'the caller does not hold token:use')
    const reactors = all.of(caller)
    const prepared = await prepare(reactors, job)
    const { timeoutMs, depth } = job
    const outcome = await run(reactors, prepared, { timeoutMs, lane: 'async', depth })
    if (outcome.kind === 'busy') throw new NoRoom()
    if (outcome.kind !== 'answered' && outcome.kind !== 'custom') throw refusalOf(outcome)
    let recorded: JobAnswer = null
    await settle(reactors, outcome, reaction => {
      recorded = { reaction }
      return receipt(recorded)
    })
    return recorded
  } catch (error) {
    if (!isAnswer(error)) throw error
    const formula = wordsOfFormula(error) as JsonObject | undefined
    const explanation = formula && { explanation: { reasons: [], formula } }
    return keep(parts, { ...toProblem(error, job.traceId), ...explanation }, receipt)
  }
}

/** True if a refusal is the answer to the caller. Others are about this attempt. */
function isAnswer(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  if (error.code === 'reactor_runtime') return true
  return error.code !== 'idempotency_conflict' && errorRegistry[error.code].status < 500
}
