import type { Receipt } from '../storage/transact.ts'
import { accept, refuseCallback } from './accept.ts'
import type { Performer, WebhooksContext } from './context.ts'
import type { Job } from './job.ts'
import { Runner } from './runner.ts'

/** The part of webhooks that accepts jobs. */
export interface Jobs {
  /** @throws {ServiceError} validation, at `callback_url`, if webhooks may not be sent there */
  checkCallback(callbackUrl: string): void
  /**
   * Stores a job until it is delivered. When this resolves, it survives the death of the process.
   * @throws {ServiceError} validation; rate_limited, if the tenant has too many; idempotency_conflict
   */
  accept(job: Job, receipt?: Receipt): Promise<void>
}

/** Asynchronous invocations, from their acceptance to the webhook with their answer. */
export interface Webhooks extends Jobs {
  /** Starts to run and deliver jobs, including those of earlier processes. */
  start(performer: Performer): void
  /** Begins no more jobs and waits a while for those in progress. Jobs that do not end by then are given back. */
  close(): Promise<void>
}

export function createWebhooks(context: WebhooksContext): Webhooks {
  let runner: Runner | undefined
  return {
    checkCallback: callbackUrl => refuseCallback(context, callbackUrl),
    accept: async (job, receipt) => {
      const accepted = await accept(context, job, receipt)
      context.clock.at(context.clock.nowMs(), async () => runner?.add(accepted))
    },
    start: performer => {
      runner ??= new Runner(context, performer)
    },
    close: async () => runner?.close(),
  }
}
