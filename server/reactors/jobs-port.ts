import type { JsonValue } from '../base/json.ts'
import type { Write } from '../storage/port.ts'

/** An invocation that runs on its own. It holds expressions, never the data that they stand for. */
export interface ReactionJob {
  readonly tenant: string
  /** Who asked for it: its rights are asked again when it runs. */
  readonly application: string
  readonly session?: string
  readonly reactor: string
  /** As sent: an object, or one expression. */
  readonly args: JsonValue
  readonly callbackUrl: string
  /** How long the formula may run, in milliseconds. */
  readonly timeoutMs: number
  /** Of the request that asked for it. */
  readonly traceId: string
  /** How many formulas the request came through; 0 from outside. */
  readonly depth: number
}

/** What keeps jobs until they are done, and delivers what comes of them. */
export interface Jobs {
  /** @throws {ServiceError} validation, at `callback_url`, where nothing may be delivered to it */
  checkCallback(callbackUrl: string): void | Promise<void>
  /**
   * Resolves when the job survives the death of the process.
   * @param companion writes that belong into the same commit
   * @throws {ServiceError} idempotency_conflict, where these do not hold
   */
  accept(job: ReactionJob, companion: readonly Write[]): Promise<void>
}
