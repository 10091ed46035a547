import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts'
import type { ReactorsContext } from '../reactors/context.ts'
import type { ReactionJob } from '../reactors/jobs-port.ts'
import { type Performed, performReaction, type Refused } from '../reactors/perform.ts'
import type { UndatedReaction } from '../reactors/reaction.ts'
import type { Write } from '../storage/port.ts'
import { answerAgain } from '../tokens/undated-answer.ts'
import { problemOf } from './problem.ts'

/** Runs jobs, and puts what comes of them into the words of the wire. */
export interface JobPerformer {
  /**
   * Runs a job and answers the body of its webhook: `{tokens, raw}`, the problem, or `{status, body}` where the
   * formula chose its response. Commits the companion's writes in any case, with the tokens if there are some.
   *
   * @param companion is given what can be kept of the answer; `finish` makes the body of it again
   * @throws what `noRoom` gives, where there is no room to run it; nothing was done then
   * @throws {ServiceError} idempotency_conflict, where the companion's writes do not hold
   * @throws {StoreUnavailable} nothing was done
   */
  perform(job: ReactionJob, companion: (kept: JsonValue) => readonly Write[]): Promise<JsonValue>
  /**
   * The body from what the companion was given; anything else is answered as it is.
   * @param keptUs when it was committed, in epoch microseconds
   */
  finish(job: ReactionJob, kept: JsonValue, keptUs: number): Promise<JsonValue>
}

/** @param context the reactors, which know the jobs that this performs: asked for when it is needed */
export function jobPerformer(context: () => ReactorsContext, noRoom: () => Error): JobPerformer {
  return {
    perform: async (job, companion) => {
      const performed = await performReaction(context(), job, reaction => companion(keptOf(reaction, job)))
      if (performed.kind === 'busy') throw noRoom()
      return bodyOf(performed, job)
    },
    finish: async (job, kept, keptUs) => {
      if (!isKept(kept)) return kept
      const { reaction } = kept
      if (reaction.kind === 'custom') return bodyOf(reaction, job)
      const { tokens, ...rest } = reaction
      if (tokens === undefined) return bodyOf(rest, job)
      // Only whose tokens these are is asked of the caller, which may be gone by now.
      const nobody = { permissions: [], rules: [] }
      const { tenant, application } = job
      const caller = { tenant, application, type: 'private', rights: nobody } as const
      return bodyOf({ ...rest, tokens: await answerAgain(context().tokens, caller, tokens, keptUs) }, job)
    },
  }
}

/** What was kept before the tokens had their times. */
interface Kept {
  readonly reaction: UndatedReaction
}

function keptOf(reaction: UndatedReaction | Refused, job: ReactionJob): JsonValue {
  if (reaction.kind === 'refused') return bodyOf(reaction, job)
  return { reaction } satisfies Kept as unknown as JsonValue
}

function isKept(kept: JsonValue): kept is JsonObject & Kept {
  return isJsonObject(kept) && 'reaction' in kept
}

function bodyOf(performed: Exclude<Performed, { kind: 'busy' }>, { traceId }: ReactionJob): JsonValue {
  switch (performed.kind) {
    case 'answered': {
      const { kind: _kind, ...body } = performed
      return body
    }
    case 'custom': {
      const { status, body } = performed
      return { status, ...(body === undefined ? {} : { body }) }
    }
    case 'refused':
      return problemOf(performed.error, traceId)
  }
}
