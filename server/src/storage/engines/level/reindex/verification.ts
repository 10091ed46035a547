import type { LevelDb } from '../leveldb.ts'
import type { Batches } from './batches.ts'
import type { ContentOf, Findings } from './findings.ts'
import type { Unreliable } from './unreliable.ts'

export interface ReindexOptions {
  /** Corrects what differs. Without it, nothing is written. */
  readonly repair: boolean
  readonly contentOf: ContentOf
}

/** The context of a verification. */
export interface Verification extends ReindexOptions {
  readonly level: LevelDb
  /** Takes the index as it should be, and sorts it. */
  readonly scratch: LevelDb
  readonly repairs: Batches
  readonly findings: Findings
  readonly unreliable: Unreliable
}
