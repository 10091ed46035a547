import type { Caller } from '../access/caller.ts'
import { Room } from '../access/room.ts'
import type { Formulas } from '../formulas/formulas.ts'
import type { Receipt } from '../storage/port/transact.ts'
import type { Records } from '../storage/records/records.ts'
import type { Job } from '../webhooks/job.ts'
import type { JobAnswer, Reaction, RecordedReaction } from '../webhooks/reaction.ts'
import type { Performer } from '../webhooks/webhook-parts.ts'
import { performJob } from './jobs.ts'
import type { ReactInput } from './prepare.ts'
import { react } from './react.ts'
import type { ReactorParts } from './reactor-parts.ts'

/** Configured formulas, and their invocation. */
export class Reactors extends Room<ReactorParts> implements Performer {
  /** Returns the same room on other records. */
  on(records: Records, formulas: Formulas): Reactors {
    return new Reactors({ ...this.parts, records, formulas })
  }

  react(caller: Caller, input: ReactInput, receipt?: Receipt<RecordedReaction>): Promise<Reaction> {
    return react(this.of(caller), input, receipt)
  }

  perform(job: Job, receipt: Receipt<JobAnswer>): Promise<JobAnswer> {
    return performJob(this, job, receipt)
  }
}
