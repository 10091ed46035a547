import { errorRegistry, ServiceError } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json.ts'
import { describeError } from '../base/log.ts'
import { StoreUnavailable, type Write } from '../storage/port.ts'
import { OpenedRecord } from '../storage/records/sealed.ts'
import { giveUp, release } from './claim.ts'
import { NoRoom, type Performer, type WebhooksContext, webhookLimits } from './context.ts'
import { type Claimed, type ContentRecord, contentOf, type Job, type ScheduleRecord } from './job.ts'

/** How long a job waits that found no room to run in. */
export const noRoomMs = 2000

/**
 * Runs a job that waits, and makes it a delivery of what came of it: within the performer's own commit where
 * there is one, else in one of its own. Returns the job as it is then, to be delivered at once. Whoever lost the job meanwhile to another process changes nothing.
 */
export async function perform(
  context: WebhooksContext,
  performer: Performer,
  claimed: Claimed,
): Promise<Claimed | 'no room' | undefined> {
  const { store, schedule } = claimed
  const content = await store.readable(() => contentOf(claimed))
  if (!content) {
    await giveUp(context, claimed, undefined)
    return undefined
  }
  const receipt = (answer: JsonValue) => asDelivery(context, claimed, content, answer)
  const answer = await run(context, performer, claimed, content, receipt)
  if (answer === 'no room') {
    await release(context, claimed, noRoomMs)
    return answer
  }
  if (answer === 'overtaken') return undefined
  // Fails where the performer has committed it; or another process, which has claimed it, goes on with it.
  await store.commit(receipt(answer.body), context.clock.nowUs())
  context.log.info('job performed', { webhook: schedule.value.id, tenant: store.tenant })
  return {
    store,
    schedule: new OpenedRecord(toDelivery(schedule.value), { ...schedule, version: schedule.version + 1 }),
  }
}

function toDelivery(schedule: ScheduleRecord): ScheduleRecord {
  return { ...schedule, stage: 'delivery' }
}

async function run(
  context: WebhooksContext,
  performer: Performer,
  { store, schedule }: Claimed,
  { value }: OpenedRecord<ContentRecord>,
  receipt: (answer: JsonValue) => readonly Write[],
): Promise<{ readonly body: JsonValue } | 'overtaken' | 'no room'> {
  const most = context.limits?.runs ?? webhookLimits.runs
  // Code under which process after process dies must not take the next one along.
  if (schedule.value.runs > most) return { body: problem(value, 'the invocation was cut off too often') }
  try {
    return { body: await performer.perform(toJob(store.tenant, value), receipt) }
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    if (error instanceof NoRoom) return 'no room'
    if (error instanceof ServiceError && error.code === 'idempotency_conflict') return 'overtaken'
    const told = { trace: value.about.traceId, webhook: schedule.value.id, tenant: store.tenant }
    context.log.error('job failed', { ...told, ...describeError(error) })
    return {
      body: problem(value, 'something went wrong on our side; the trace id finds it in our log'),
    }
  }
}

function asDelivery(
  { clock }: WebhooksContext,
  { store, schedule }: Claimed,
  { value, version }: OpenedRecord<ContentRecord>,
  answer: JsonValue,
): Write[] {
  const { args: _erased, ...kept } = value
  const delivery: ContentRecord = { ...kept, answer }
  return [
    store.replace('job', schedule.version, toDelivery(schedule.value), { dueMs: clock.nowMs() }),
    store.replace('job-content', version, delivery),
  ]
}

export function toJob(tenant: string, { about, args = null }: ContentRecord): Job {
  return { ...about, tenant, args }
}

/** A fault of ours, as a synchronous invocation would have told it. */
function problem({ about }: ContentRecord, detail: string): JsonObject {
  const { status, title } = errorRegistry.internal
  const instance = `urn:surrogate:trace:${encodeURIComponent(about.traceId)}`
  return { type: 'urn:surrogate:error:internal', title, status, detail, instance }
}
