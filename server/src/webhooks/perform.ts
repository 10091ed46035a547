import { ServiceError } from '../base/errors.ts'
import { describeError } from '../base/log.ts'
import { toProblem, unexpectedError } from '../base/problem.ts'
import { StoreUnavailable, type Write } from '../storage/port/port.ts'
import type { Receipt } from '../storage/port/transact.ts'
import { OpenedRecord } from '../storage/records/records.ts'
import { giveUp, release } from './claim.ts'
import { type Claimed, type ContentRecord, contentOf, indexOf, type Job, type ScheduleRecord } from './job.ts'
import type { JobAnswer } from './reaction.ts'
import { NoRoom, type Performer, type WebhookParts, webhookLimits } from './webhook-parts.ts'

/** The delay of a job for which no process was free. */
export const noRoomMs = 2000

/**
 * Runs a waiting job and turns it into a delivery of its answer: in the commit of the performer, or else in one of its own.
 * Returns the job as it is then, to be delivered at once. Changes nothing if another process has taken over the job.
 */
export async function perform(
  parts: WebhookParts,
  performer: Performer,
  claimed: Claimed,
): Promise<Claimed | 'no room' | undefined> {
  const { store, schedule } = claimed
  const content = await store.readable(() => contentOf(claimed))
  if (!content) {
    await giveUp(parts, claimed, undefined)
    return undefined
  }
  const receipt = (answer: JobAnswer) => asDelivery(parts, claimed, content, answer)
  const performed = await run(parts, performer, claimed, content, receipt)
  if (performed === 'no room') {
    await release(parts, claimed, noRoomMs)
    return performed
  }
  if (performed === 'overtaken') return undefined
  // Fails if the performer has committed the answer, or if another process has claimed the job.
  await store.commit(receipt(performed.answer), parts.clock.nowUs())
  parts.observer?.count('job performed')
  parts.log.info('job performed', { webhook: schedule.value.id, tenant: store.tenant })
  return {
    store,
    schedule: new OpenedRecord(toDelivery(schedule.value), { ...schedule, version: schedule.version + 1 }),
  }
}

function toDelivery(schedule: ScheduleRecord): ScheduleRecord {
  return { ...schedule, stage: 'delivery' }
}

async function run(
  parts: WebhookParts,
  performer: Performer,
  { store, schedule }: Claimed,
  { value }: OpenedRecord<ContentRecord>,
  receipt: Receipt<JobAnswer>,
): Promise<{ readonly answer: JobAnswer } | 'overtaken' | 'no room'> {
  const most = parts.limits?.runs ?? webhookLimits.runs
  const { traceId } = value.about
  // A formula under which several processes have died must not end the next one.
  if (schedule.value.runs > most) {
    const error = new ServiceError('internal', 'the invocation was cut off too often')
    return { answer: toProblem(error, traceId) }
  }
  try {
    return { answer: await performer.perform(toJob(store.tenant, value), receipt) }
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    if (error instanceof NoRoom) return 'no room'
    if (error instanceof ServiceError && error.code === 'idempotency_conflict') return 'overtaken'
    const { id } = schedule.value
    parts.log.error('job failed', {
      trace: traceId,
      webhook: id,
      tenant: store.tenant,
      ...describeError(error),
    })
    return { answer: toProblem(unexpectedError(), traceId) }
  }
}

function asDelivery(
  { clock }: WebhookParts,
  { store, schedule }: Claimed,
  { value, version }: OpenedRecord<ContentRecord>,
  answer: JobAnswer,
): Write[] {
  const { args: _erased, ...kept } = value
  const delivery: ContentRecord = { ...kept, answer }
  return [
    store.replace(
      'job',
      schedule.version,
      toDelivery(schedule.value),
      indexOf(store, schedule.value, clock.nowMs()),
    ),
    store.replace('job-content', version, delivery),
  ]
}

export function toJob(tenant: string, { about, args = null }: ContentRecord): Job {
  return { ...about, tenant, args }
}
