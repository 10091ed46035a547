import { jobCaller } from '../access/delegation.ts'
import { readTenant } from '../access/tenant-settings.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts'
import { describeError } from '../base/log.ts'
import { EgressError } from '../egress/egress-error.ts'
import { StoreUnavailable } from '../storage/port/port.ts'
import type { OpenedRecord } from '../storage/records/records.ts'
import { giveUp, removal, reschedule, retryDelayMs } from './claim.ts'
import { type Claimed, type ContentRecord, contentOf, type Job } from './job.ts'
import { toJob } from './perform.ts'
import { type JobAnswer, type RecordedReaction, showReaction } from './reaction.ts'
import { signedHeaders } from './sign.ts'
import type { WebhookParts } from './webhook-parts.ts'

/**
 * Attempts to deliver the answer of a job. A reply of 2xx ends the job. Anything else makes it due again later, or ends it
 * after the last attempt.
 *
 * @param leaving aborts the attempt, which then does not count
 */
// Requirements: INV-022, INV-514
export async function deliver(parts: WebhookParts, claimed: Claimed, leaving: AbortSignal): Promise<void> {
  const { store, schedule } = claimed
  const content = await store.readable(() => contentOf(claimed))
  if (!content) return giveUp(parts, claimed, undefined)
  const failures = schedule.value.failures + 1
  const fields = { webhook: schedule.value.id, tenant: store.tenant, attempt: failures }
  const body = await textOf(parts, claimed, content)
  const outcome = body === undefined ? 'no body' : await attempt(parts, claimed, content, body, leaving)
  if (typeof outcome === 'number' && outcome >= 200 && outcome < 300) {
    await store.commit(removal(claimed, content), parts.clock.nowUs())
    parts.observer?.count('webhook delivered')
    parts.log.info('webhook delivered', fields)
    return
  }
  leaving.throwIfAborted()
  parts.log.info('webhook not delivered', { ...fields, outcome })
  const delayMs = retryDelayMs(failures, (parts.random.bytes(1)[0] ?? 0) / 255)
  if (delayMs === undefined) return giveUp(parts, claimed, content)
  const keepsBody = body !== undefined && content.value.body === undefined
  const { answer: _kept, ...about } = content.value
  await reschedule(
    parts,
    claimed,
    { ...schedule.value, failures },
    parts.clock.nowMs() + delayMs,
    keepsBody ? [store.replace('job-content', content.version, { ...about, body } as ContentRecord)] : [],
  )
}

/** Returns the body, the same for every attempt; `undefined` if it cannot be made now. */
async function textOf(
  parts: WebhookParts,
  { store }: Claimed,
  { value }: OpenedRecord<ContentRecord>,
): Promise<string | undefined> {
  const { body, answer = null } = value
  if (body !== undefined) return body
  try {
    return JSON.stringify(await bodyOf(parts, toJob(store.tenant, value), answer))
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    parts.log.error('webhook has no body', describeError(error))
    return undefined
  }
}

/** Sends the webhook. Returns the status of the reply, or the reason why there was none. */
async function attempt(
  parts: WebhookParts,
  { store, schedule }: Claimed,
  { value }: OpenedRecord<ContentRecord>,
  text: string,
  leaving: AbortSignal,
): Promise<number | string> {
  const tenant = await readTenant(store)
  if (!tenant) return 'no secret'
  const body = Buffer.from(text)
  const { callbackUrl, traceId, reactor, application, session } = value.about
  // A receiver compares the time of an attempt with its own clock, so advancing the clock of a vault does not change it.
  const atS = Math.floor(parts.clock.machineMs() / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'surrogate',
    [parts.traceHeader]: traceId,
    ...signedHeaders(tenant.webhook_secret, schedule.value.id, atS, body),
  }
  try {
    return await parts.send({
      url: callbackUrl,
      tenant: store.tenant,
      application,
      session,
      reactor,
      traceId,
      headers,
      body,
      signal: leaving,
    })
  } catch (error) {
    if (error instanceof EgressError) return error.reason
    throw error
  }
}

/** Makes the body of a webhook, whatever has become of the caller and of the tokens since the formula ran. */
// Requirements: INV-512, INV-541
export async function bodyOf(
  parts: Pick<WebhookParts, 'records' | 'tokens' | 'clock'>,
  job: Job,
  answer: JobAnswer,
): Promise<JsonValue> {
  if (!isReaction(answer)) return answer as JsonValue
  const { tenant, application } = job
  const nobody = { tenant, application, type: 'private', rights: { permissions: [], rules: [] } } as const
  const caller = (await jobCaller(parts.records, job, parts.clock.nowUs())) ?? nobody
  const reaction = await showReaction(parts.tokens, caller, answer.reaction, null)
  if (reaction.kind === 'custom') {
    const { status, body } = reaction
    return { status, ...(body === undefined ? {} : { body }) }
  }
  const { kind: _kind, ...body } = reaction
  return body
}

function isReaction(answer: JobAnswer): answer is JsonObject & { readonly reaction: RecordedReaction } {
  return isJsonObject(answer as JsonValue) && 'reaction' in (answer as JsonObject)
}
