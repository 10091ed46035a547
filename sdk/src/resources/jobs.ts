import type { Call } from '../call.ts'
import { jobsCancel, jobsList } from '../generated/operations.gen.ts'
import type { Job, JobsListData } from '../generated/types.gen.ts'
import type { RequestOptions, ResourceOptions } from '../options.ts'
import { Pages, pageOf } from '../pages.ts'
import { type Send, sendBy } from '../transport.ts'

/**
 * Filters of the jobs and the page: `requested_by`, `page` from 1, `size` from 1 to 100.
 *
 * @example
 * ```ts
 * const query: JobQuery = { requested_by: 'application-id' }
 * ```
 */
export type JobQuery = NonNullable<JobsListData['query']>

/** Asynchronous invocations that are not done or not delivered. Needs a management key. */
export class Jobs {
  readonly #send: Send

  /** Takes the options of a client, for applications that need these calls alone. */
  constructor(options: ResourceOptions)
  /** @internal */
  constructor(by: ResourceOptions | Send)
  constructor(by: ResourceOptions | Send) {
    this.#send = sendBy(by)
  }

  /**
   * Lists unfinished jobs, newest first. Needs `reactor:read`.
   *
   * Throws `BadRequestError` if the page or its size is out of range.
   *
   * @example
   * ```ts
   * for await (const job of surrogate.jobs.list({ requested_by: 'application-id' })) {
   *   console.log(job.id, job.stage, job.failures, job.callback_origin)
   * }
   * ```
   */
  list(query?: JobQuery, options?: RequestOptions): Pages<Job> {
    return new Pages(position =>
      pageOf({ ...query, ...position }, query => this.#send(jobsList, { query }, options)),
    )
  }

  /**
   * Cancels an unfinished job: nothing of it is run, kept or delivered any more. Needs `reactor:update`.
   *
   * Throws `NotFoundError` if there is no unfinished job with this id.
   *
   * @example
   * ```ts
   * await surrogate.jobs.cancel('msg_0b9c7d2e-8f41-4a63-b5d7-1e2f3a4b5c01')
   * ```
   */
  cancel(id: string, options?: RequestOptions): Call<void> {
    return this.#send(jobsCancel, { id }, options)
  }
}
