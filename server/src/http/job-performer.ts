import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts'
import type { ReactorsContext } from '../reactors/context.ts'
import { type Performed, performReaction, type Refused } from '../reactors/perform.ts'
import { type KeptReaction, showReaction } from '../reactors/reaction.ts'
import { NoRoom, type Performer } from '../webhooks/context.ts'
import type { Job } from '../webhooks/job.ts'
import { problemOf } from './problem.ts'

/** Runs jobs, and puts what comes of them into the words of the wire. */
export type JobPerformer = Required<Performer>

/** @param context the reactors, which know the jobs that this performs: asked for when it is needed */
export function jobPerformer(context: () => ReactorsContext): JobPerformer {
  return {
    perform: async (job, receipt) => {
      const performed = await performReaction(context(), job, reaction => receipt(keptOf(reaction, job)))
      if (performed.kind === 'busy') throw new NoRoom()
      return bodyOf(performed, job)
    },
    finish: async (job, kept) => {
      if (!isKept(kept)) return kept
      const { reaction } = kept
      // What came of the job is delivered whatever has become of its caller and of its tokens since.
      const { tenant, application } = job
      const nobody = { tenant, application, type: 'private', rights: { permissions: [], rules: [] } } as const
      const caller = (await context().callerAgain(job)) ?? nobody
      return bodyOf(await showReaction(context().tokens, caller, reaction, null), job)
    },
  }
}

/** What came of a job, as it is kept until its tokens are read for the delivery. */
interface Kept {
  readonly reaction: KeptReaction
}

function keptOf(reaction: KeptReaction | Refused, job: Job): JsonValue {
  if (reaction.kind === 'refused') return bodyOf(reaction, job)
  return { reaction } satisfies Kept as unknown as JsonValue
}

function isKept(kept: JsonValue): kept is JsonObject & Kept {
  return isJsonObject(kept) && 'reaction' in kept
}

// Requirements: INV-512
function bodyOf(performed: Exclude<Performed, { kind: 'busy' }>, { traceId }: Job): JsonValue {
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
