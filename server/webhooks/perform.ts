import { errorRegistry, ServiceError } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json.ts'
import { describeError } from '../base/log.ts'
import { StoreUnavailable, type Write } from '../storage/port.ts'
import type { SealedRecord } from '../storage/sealed.ts'
import { giveUp, release } from './claim.ts'
import { NoRoom, type Performer, type WebhooksContext, webhookLimits } from './context.ts'
import { type Claimed, type ContentRecord, contentOf, type Job } from './job.ts'

/** How long a job waits that found no room to run in. */
const noRoomMs = 2000

/**
 * Runs a job that waits, and makes it a delivery of what came of it: within the performer's own commit where
 * there is one, else in one of its own. Whoever lost the job meanwhile to another process changes nothing.
 */
export async function perform(
  context: WebhooksContext,
  performer: Performer,
  claimed: Claimed,
): Promise<void> {
  const { store, schedule } = claimed
  const content = await store.readable(() => contentOf(claimed))
  if (!content) return giveUp(context, claimed, undefined)
  const companion = (answer: JsonValue) => asDelivery(context, claimed, content, answer)
  const answer = await run(context, performer, claimed, content, companion)
  if (answer === 'overtaken') return
  if (answer === 'no room') return release(context, claimed, noRoomMs)
  // Fails where the performer has committed it; or another process, which has claimed it, goes on with it.
  await store.commit(companion(answer.body), context.clock.nowUs())
  context.log.info('job performed', { webhook: schedule.value.id, tenant: store.tenant })
}

async function run(
  context: WebhooksContext,
  performer: Performer,
  { store, schedule }: Claimed,
  { value }: SealedRecord<ContentRecord>,
  companion: (answer: JsonValue) => readonly Write[],
): Promise<{ readonly body: JsonValue } | 'overtaken' | 'no room'> {
  const most = context.limits?.runs ?? webhookLimits.runs
  // Code under which process after process dies must not take the next one along.
  if (schedule.value.runs > most) return { body: problem(value, 'the invocation was cut off too often') }
  try {
    return { body: await performer.perform(toJob(store.tenant, value), companion) }
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
  { value, version }: SealedRecord<ContentRecord>,
  answer: JsonValue,
): Write[] {
  const { args: _erased, ...kept } = value
  const delivery: ContentRecord = { ...kept, answer }
  const next = { ...schedule.value, stage: 'delivery' as const }
  return [
    store.replace('job', schedule.version, next, { dueMs: clock.nowMs() }),
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
