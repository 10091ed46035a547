import { jobCaller } from '../access/delegation.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts'
import type { TokensContext } from '../tokens/context.ts'
import type { Job } from './job.ts'
import { type JobAnswer, type KeptReaction, showReaction } from './reaction.ts'

/** Makes the body of a webhook, whatever has become of the caller and of the tokens since the formula ran. */
// Requirements: INV-512, INV-541
export async function bodyOf(context: TokensContext, job: Job, answer: JobAnswer): Promise<JsonValue> {
  if (!isReaction(answer)) return answer as JsonValue
  const { tenant, application } = job
  const nobody = { tenant, application, type: 'private', rights: { permissions: [], rules: [] } } as const
  const caller = (await jobCaller(context.store, job, context.nowUs())) ?? nobody
  const reaction = await showReaction(context, caller, answer.reaction, null)
  if (reaction.kind === 'custom') {
    const { status, body } = reaction
    return { status, ...(body === undefined ? {} : { body }) }
  }
  const { kind: _kind, ...body } = reaction
  return body
}

function isReaction(answer: JobAnswer): answer is JsonObject & { readonly reaction: KeptReaction } {
  return isJsonObject(answer as JsonValue) && 'reaction' in (answer as JsonObject)
}
