import { limits } from '../generated/facts.ts'
import type { ScheduleRecord } from './job.ts'

const second = 1000

const firstDelayMs = 9 * second

/** A lease is this much longer than the work may take. */
const marginMs = 30 * second

/**
 * Returns the delay of the attempt after the n-th failure, in milliseconds: exponential backoff, about two and a half hours
 * for all ten, with a jitter of a fifth so that deliveries which failed together are not retried together. `undefined` after
 * the last.
 *
 * @param chance from 0 to 1
 */
export function retryDelayMs(failures: number, chance: number): number | undefined {
  if (failures > limits.webhookRetries) return undefined
  return Math.round(firstDelayMs * 2 ** (failures - 1) * (0.8 + 0.4 * chance))
}

/** Returns the duration of the lease on a claimed job, in milliseconds. */
export function leaseMs({ stage, timeout_ms }: ScheduleRecord): number {
  return (stage === 'waiting' ? timeout_ms : limits.webhookReply) + marginMs
}
