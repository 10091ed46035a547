import { auditEntry } from '../audit/entries.ts'
import type { Write } from '../storage/port.ts'
import { OpenedRecord, type TenantStore } from '../storage/records/sealed.ts'
import type { WebhooksContext } from './context.ts'
import type { Claimed, ContentRecord, ScheduleRecord } from './job.ts'
import { leaseMs } from './schedule.ts'

/**
 * Takes a job for this process: nobody else is shown it until the lease is over. `undefined` where another
 * process was quicker.
 */
export async function claim(
  context: WebhooksContext,
  { store, schedule }: Claimed,
): Promise<Claimed | undefined> {
  const { stage, runs } = schedule.value
  const value = { ...schedule.value, runs: stage === 'waiting' ? runs + 1 : runs }
  return reschedule(context, { store, schedule }, value, context.clock.nowMs() + leaseMs(value))
}

/** Gives a job back that was not worked on: whoever looks next, or after `delayMs`, may have it. */
export async function release(
  context: WebhooksContext,
  { store, schedule }: Claimed,
  delayMs = 0,
): Promise<void> {
  const { stage, runs } = schedule.value
  const value = { ...schedule.value, runs: stage === 'waiting' ? runs - 1 : runs }
  await reschedule(context, { store, schedule }, value, context.clock.nowMs() + delayMs)
}

/** Writes when a job is next to be worked on. `undefined` where it is not this process's any more. */
export async function reschedule(
  context: WebhooksContext,
  { store, schedule }: Claimed,
  value: ScheduleRecord,
  dueMs: number,
  also: readonly Write[] = [],
): Promise<Claimed | undefined> {
  const write = store.replace('job', schedule.version, value, { dueMs })
  const result = await store.commit([write, ...also], context.clock.nowUs())
  if (!result.ok) return undefined
  return { store, schedule: new OpenedRecord(value, { ...schedule, version: schedule.version + 1 }) }
}

/** The writes that remove a job and all it held. */
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

/** The entry that stays of a job whose outcome reached nobody. */
export function lost(context: WebhooksContext, store: TenantStore, reactor?: string): Write {
  return auditEntry(store, context.random, {
    operation: 'webhook:deliver',
    entity_type: 'reactor',
    ...(reactor === undefined ? {} : { entity_id: reactor }),
    actor: null,
    outcome: 'failed',
  })
}

/** Removes a job that cannot be delivered, and leaves a trace of that. */
export async function giveUp(
  context: WebhooksContext,
  claimed: Claimed,
  content: OpenedRecord<ContentRecord> | undefined,
): Promise<void> {
  const { store, schedule } = claimed
  const trace = lost(context, store, content?.value.about.reactor)
  // A content that does not open is removed all the same.
  const rest = content ? [] : await store.removal('job-content', schedule.value.id)
  const { ok } = await store.commit([...removal(claimed, content), ...rest, trace], context.clock.nowUs())
  if (ok) context.log.warn('webhook given up', { webhook: schedule.value.id, tenant: store.tenant })
}
