import type { Caller } from '../access/caller.ts'
import type { Page } from '../base/page.ts'
import type {
  CreateReactorRequest,
  PatchReactorRequest,
  Reactor,
  UpdateReactorRequest,
} from '../contract/types.ts'
import type { Receipt, RecordedEntity } from '../storage/port/transact.ts'
import type { Job } from '../webhooks/job.ts'
import type { JobAnswer, Reaction, RecordedReaction } from '../webhooks/reaction.ts'
import { acceptReaction, performJob } from './jobs.ts'
import { listReactors, type ReactorQuery, readReactor } from './list.ts'
import { demandReaction, type ReactInput } from './prepare.ts'
import { react } from './react.ts'
import type { ReactorParts } from './reactor-parts.ts'
import { createReactor, deleteReactor, patchReactor, updateReactor } from './write-reactor.ts'

/** Configured formulas, and their invocation. */
export class Reactors {
  readonly #parts: ReactorParts

  constructor(parts: ReactorParts) {
    this.#parts = parts
  }

  create(
    caller: Caller,
    input: CreateReactorRequest,
    receipt?: Receipt<RecordedEntity>,
    id?: string,
  ): Promise<Reactor> {
    return createReactor(this.#parts, caller, input, receipt, id)
  }

  list(caller: Caller, query: ReactorQuery): Promise<Page<Reactor>> {
    return listReactors(this.#parts, caller, query)
  }

  read(caller: Caller, id: string): Promise<Reactor> {
    return readReactor(this.#parts, caller, id)
  }

  update(
    caller: Caller,
    id: string,
    input: UpdateReactorRequest,
    receipt?: Receipt<RecordedEntity>,
  ): Promise<Reactor> {
    return updateReactor(this.#parts, caller, id, input, receipt)
  }

  patch(
    caller: Caller,
    id: string,
    input: PatchReactorRequest,
    receipt?: Receipt<RecordedEntity>,
  ): Promise<void> {
    return patchReactor(this.#parts, caller, id, input, receipt)
  }

  delete(caller: Caller, id: string): Promise<void> {
    return deleteReactor(this.#parts, caller, id)
  }

  react(caller: Caller, input: ReactInput, receipt?: Receipt<RecordedReaction>): Promise<Reaction> {
    return react(this.#parts, caller, input, receipt)
  }

  accept(
    caller: Caller,
    input: ReactInput,
    wanted: { readonly callbackUrl: string; readonly timeoutMs: number },
    receipt?: Receipt,
  ): Promise<void> {
    return acceptReaction(this.#parts, caller, input, wanted, receipt)
  }

  demand(caller: Caller, input: Pick<ReactInput, 'reactor' | 'args'>): Promise<void> {
    return demandReaction(this.#parts, caller, input)
  }

  perform(job: Job, receipt: Receipt<JobAnswer>): Promise<JobAnswer> {
    return performJob(this.#parts, job, receipt)
  }
}
