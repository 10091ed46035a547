import { auditEntry } from '../audit/entries.ts'
import { limits } from '../generated/facts.ts'
import type { Write } from '../storage/port/port.ts'
import { OpenedRecord, type TenantRecords } from '../storage/records/records.ts'
import { type Claimed, type ContentRecord, indexOf, type ScheduleRecord } from './job.ts'
import type { WebhookParts } from './webhook-parts.ts'

/**
 * Claims a job for this process: it is not due for others until the lease ends. Returns `undefined` if another process was
 * quicker.
 */
export async function claim(parts: WebhookParts, { store, schedule }: Claimed): Promise<Claimed | undefined> {
  const { stage, runs } = schedule.value
  const value = { ...schedule.value, runs: stage === 'waiting' ? runs + 1 : runs }
  return reschedule(parts, { store, schedule }, value, parts.clock.nowMs() + leaseMs(value))
}

/** Gives back a job that was not worked on. It is due again at once, or after `delayMs`. */
export async function release(parts: WebhookParts, { store, schedule }: Claimed, delayMs = 0): Promise<void> {
  const { stage, runs } = schedule.value
  const value = { ...schedule.value, runs: stage === 'waiting' ? runs - 1 : runs }
  await reschedule(parts, { store, schedule }, value, parts.clock.nowMs() + delayMs)
}

/** Sets the time at which a job is due next. Returns `undefined` if the job no longer belongs to this process. */
export async function reschedule(
  parts: WebhookParts,
  { store, schedule }: Claimed,
  value: ScheduleRecord,
  dueMs: number,
  also: readonly Write[] = [],
): Promise<Claimed | undefined> {
  const write = store.replace('job', schedule.version, value, indexOf(store, value, dueMs))
  const result = await store.commit([write, ...also], parts.clock.nowUs())
  if (!result.ok) return undefined
  return { store, schedule: new OpenedRecord(value, { ...schedule, version: schedule.version + 1 }) }
}

/** Returns the writes that remove a job and its content. */
export function removal(
  { store, schedule }: Claimed,
  content: OpenedRecord<ContentRecord> | undefined,
): Write[] {
  const { id } = schedule.value
  return [
    store.remove('job', id, schedule.version),
    ...(content ? [store.remove('job-content', id, content.version)] : []),
  ]
}

/** Returns the audit entry of a job whose answer could not be delivered. */
export function lost(parts: WebhookParts, store: TenantRecords, reactor?: string): Write {
  return auditEntry(store, parts.random, {
    operation: 'webhook:deliver',
    entity_type: 'reactor',
    ...(reactor === undefined ? {} : { entity_id: reactor }),
    actor: null,
    outcome: 'failed',
  })
}

/** Removes a job that cannot be delivered, and adds an audit entry. */
export async function giveUp(
  parts: WebhookParts,
  claimed: Claimed,
  content: OpenedRecord<ContentRecord> | undefined,
): Promise<void> {
  const { store, schedule } = claimed
  const trace = lost(parts, store, content?.value.about.reactor)
  // A content that cannot be opened is removed as well.
  const rest = content ? [] : await store.removal('job-content', schedule.value.id)
  const { ok } = await store.commit([...removal(claimed, content), ...rest, trace], parts.clock.nowUs())
  if (!ok) return
  parts.observer?.count('webhook given up')
  parts.log.warn('webhook given up', { webhook: schedule.value.id, tenant: store.tenant })
}

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
