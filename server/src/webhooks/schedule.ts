import { limits } from '../generated/facts.ts'
import type { ScheduleRecord } from './job.ts'

const second = 1000

const firstDelayMs = 9 * second

/** A process that works on a job keeps it for so long beyond what the work may take. */
const marginMs = 30 * second

/**
 * How long after the n-th failure the next attempt is due, in milliseconds: twice as long each time, all ten
 * together about two and a half hours. Each is a fifth longer or shorter by chance, so that what failed together
 * does not come back together. `undefined` after the last.
 *
 * @param chance from 0 to 1
 */
export function retryDelayMs(failures: number, chance: number): number | undefined {
  if (failures > limits.webhookRetries) return undefined
  return Math.round(firstDelayMs * 2 ** (failures - 1) * (0.8 + 0.4 * chance))
}

/** How long a process that claims a job has it for itself, in milliseconds, alive or not. */
export function leaseMs({ stage, timeout_ms }: ScheduleRecord): number {
  return (stage === 'waiting' ? timeout_ms : limits.webhookReply) + marginMs
}
