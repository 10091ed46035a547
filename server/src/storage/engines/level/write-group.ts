import { type Collection, Decisions, type NamedWrite, questionsOf } from '../../port/decide.ts'
import type { CommitResult, Digest } from '../../port/port.ts'
import { type Change, encodeChange, type Mutations, noValue } from './changes.ts'
import { type CollectionKey, counterKey, documentKey, garbageKey, uniqueKey } from './keys.ts'
import {
  type Counters,
  decodeCounters,
  decodeHeader,
  encodeCounters,
  type Header,
  noCounters,
} from './record.ts'

/** The writer's knowledge of a collection between groups. */
export interface CollectionState extends Counters {
  /** The compaction round in which the collection was last marked. */
  garbageRound: number
}

export type NamedCommit = readonly NamedWrite<CollectionKey>[]

/** Reads the values of keys, in their order. */
type ReadValues = (keys: string[]) => (Buffer | undefined)[] | Promise<(Buffer | undefined)[]>

/** Several commits that are decided together and written in one batch. */
export class WriteGroup {
  readonly #states: Map<CollectionKey, CollectionState>
  readonly #collections = new Map<CollectionKey, Collection<Header>>()
  readonly #decisions = new Decisions<Header, CollectionKey>(
    this.#collections,
    ({ terms, uniques, dueMs }, { version, createdUs, modifiedUs }) =>
      // The ordinal is given when all commits are decided: that of a commit which fails must not be lost.
      ({ ordinal: -1, version, createdUs, modifiedUs, dueMs, terms, uniques }),
  )

  readonly changes: readonly Change[] = this.#decisions.changes

  constructor(states: Map<CollectionKey, CollectionState>) {
    this.#states = states
  }

  /** Reads everything that the conditions ask for, at once. */
  async read(commits: Iterable<NamedCommit>, read: ReadValues): Promise<void> {
    const questions = questionsOf(commits)
    const keys: string[] = []
    for (const [collection, { ids, uniques }] of questions) {
      for (const id of ids) keys.push(documentKey(collection, id))
      for (const unique of uniques) keys.push(uniqueKey(collection, unique))
      if (!this.#states.has(collection)) keys.push(counterKey(collection))
    }
    const reading = read(keys)
    const values = (reading instanceof Promise ? await reading : reading).values()
    const next = () => values.next().value
    for (const [collection, { ids, uniques }] of questions) {
      const documents = new Map<Digest, Header>()
      const holders = new Map<Digest, Digest>()
      for (const id of ids) {
        const value = next()
        if (value) documents.set(id, decodeHeader(value))
      }
      for (const unique of uniques) {
        const value = next()
        if (value) holders.set(unique, value.toString('latin1') as Digest)
      }
      this.#collections.set(collection, { documents, holders, stamps: this.#stateOf(collection, next) })
    }
  }

  /** Decides the commits in order, and then gives each new document its ordinal. */
  decide(commits: readonly { readonly writes: NamedCommit; readonly nowUs: number }[]): CommitResult[] {
    const results = commits.map(({ writes, nowUs }) => this.#decisions.decide(writes, nowUs))
    for (const { collection, before, after } of this.changes) {
      if (after) after.ordinal = before?.ordinal ?? this.#stateOf(collection).nextOrdinal++
    }
    return results
  }

  /** Encodes everything but the blocks of the index. */
  encode(mutations: Mutations, garbageRound: number): void {
    const touched = new Set<CollectionKey>()
    for (const change of this.changes) {
      touched.add(change.collection)
      encodeChange(change, mutations)
      const state = this.#stateOf(change.collection)
      if (change.before && state.garbageRound !== garbageRound) {
        state.garbageRound = garbageRound
        mutations.put(garbageKey(garbageRound, change.collection), noValue)
      }
    }
    for (const collection of touched) {
      mutations.put(counterKey(collection), encodeCounters(this.#stateOf(collection)))
    }
  }

  #stateOf(
    collection: CollectionKey,
    readCounters: () => Buffer | undefined = () => undefined,
  ): CollectionState {
    let state = this.#states.get(collection)
    if (!state) {
      const value = readCounters()
      state = { ...(value ? decodeCounters(value) : noCounters), garbageRound: -1 }
      this.#states.set(collection, state)
    }
    return state
  }
}
