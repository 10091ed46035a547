import type { Receipt } from '../storage/transact.ts'
import { accept, refuseCallback } from './accept.ts'
import type { Performer, WebhooksContext } from './context.ts'
import type { Job } from './job.ts'
import { Runner } from './runner.ts'

/** What keeps jobs until they are done, and delivers what comes of them: as whoever accepts them sees it. */
export interface Jobs {
  /** @throws {ServiceError} validation, at `callback_url`, where nothing may be delivered to it */
  checkCallback(callbackUrl: string): void
  /**
   * Keeps a job until it is delivered. Resolves when it survives the death of the process.
   * @throws {ServiceError} validation; rate_limited, where the tenant has too many; idempotency_conflict
   */
  accept(job: Job, receipt?: Receipt): Promise<void>
}

/** Asynchronous invocations, from their acceptance to the webhook that tells what came of them. */
export interface Webhooks extends Jobs {
  /** From now on jobs are run and delivered, those that an earlier process has left included. */
  start(performer: Performer): void
  /** Takes up nothing more and waits a while for what is under way. What does not end by then is given back. */
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
