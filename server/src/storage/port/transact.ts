import { ServiceError } from '../../base/errors.ts'
import type { CommitResult, Conflict, Write, Written } from './port.ts'

/** The parts of a response that a receipt keeps: ids, and values stored nowhere else. A replay reads the rest anew. */
export interface RecordedAnswer {
  /** The id of what was made or changed, where it is one thing. */
  readonly entity?: string
  /** A new key, the value that a formula returned, the tokens that a payload became. */
  readonly details?: object
}

/** Kept of an answer that can be read again by the id of what was made or changed. */
export interface RecordedEntity {
  readonly entity: string
}

/** Makes the writes that keep an answer. They go into the commit that does the work: both happen, or neither. */
export type Receipt<Recorded = RecordedAnswer> = (recorded: Recorded) => readonly Write[]

/** One attempt of a transaction: writes made from what was read, with their conditions. */
export interface Attempt<Result, Recorded = RecordedAnswer> {
  readonly writes: readonly Write[]
  /** For the receipt. Without it, none is written. */
  readonly recorded?: Recorded
  /** Called when the writes are committed. `written` returns the version and times of one of them. */
  readonly result: (written: (write: Write) => Written) => Result | Promise<Result>
  /** Called when the condition of one of the writes failed, before the next attempt. Throws to give up. */
  readonly onConflict?: (conflict: Conflict) => void | Promise<void>
}

interface Commits {
  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult>
}

/**
 * Optimistic concurrency: reads, decides and commits, and starts over where another writer came between.
 *
 * @param attempt reads what it needs, throws what it refuses, and returns what to write
 * @param receipt keeps the answer for an idempotency key, in the same commit
 * @throws {ServiceError} idempotency_conflict, where another request with the same key has been done meanwhile
 */
export async function transact<Result, Recorded = RecordedAnswer>(
  store: Commits,
  clock: { nowUs(): number },
  attempt: (number: number) => Promise<Attempt<Result, Recorded>>,
  receipt?: Receipt<Recorded>,
): Promise<Result> {
  for (let number = 0; ; number++) {
    const { writes, recorded, result, onConflict } = await attempt(number)
    const all = [...writes, ...(receipt && recorded !== undefined ? receipt(recorded) : [])]
    const outcome = all.length === 0 ? nothingWritten : await store.commit(all, clock.nowUs())
    if (outcome.ok) return result(write => writtenAt(outcome.written, all.indexOf(write)))
    if (outcome.conflict.write >= writes.length) {
      throw new ServiceError(
        'idempotency_conflict',
        'another request with this idempotency key is being answered',
      )
    }
    await onConflict?.(outcome.conflict)
  }
}

const nothingWritten = { ok: true, written: [] } as const

function writtenAt(written: readonly (Written | undefined)[], position: number): Written {
  const found = written[position]
  if (!found) throw new Error('this write is not one that leaves a document behind')
  return found
}

const mostAttempts = 10

/** Gives up on creating something with a given id, as another may have it. @throws {ServiceError} conflict */
export function giveUpOn(id: string | undefined, attempts: number): void {
  if (id !== undefined && attempts >= mostAttempts) throw new ServiceError('conflict', 'the id is taken')
}
