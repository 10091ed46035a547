import { OperatorError } from '../base/operator-error.ts'
import type { DocumentKind } from './kinds.ts'

/**
 * The store as the domain sees it: sealed documents that can be found by opaque terms.
 *
 * An engine knows no plaintext and none of our rules. It keeps boxes, keyed digests and times, decides
 * conditions atomically, and evaluates boolean algebra over terms. All meaning lives above this port, once,
 * so engines cannot drift apart; `port.cases.ts` runs the same cases against each of them.
 */

export { type DocumentKind, documentKinds } from './kinds.ts'

/** 22 characters of base64url: the 16 bytes of a keyed digest, and no bit more. Engines may rely on that. */
export type Digest = string & { readonly digest: unique symbol }

/** A document's address. `tenant` is a lower-case UUID, `id` a keyed digest of the caller's id. */
export interface Address {
  readonly kind: DocumentKind
  readonly tenant: string
  readonly id: Digest
}

/** What a write puts in place. Everything that may be searched is a term; what must be unique is a unique. */
export interface Content {
  /** What a search may match. No duplicates. */
  readonly terms: readonly Digest[]
  /** Values no other document of the collection may hold at the same time. */
  readonly uniques: readonly Digest[]
  /** Epoch milliseconds from which the document is over: invisible to `find`, listed by `due`. */
  readonly dueMs?: number
  readonly box: Uint8Array
}

export interface StoredDocument extends Address, Content {
  /**
   * 1 after the insert, one more after each replacement. 0 where the engine cannot make sense of what it kept:
   * such a document has an empty box, stands where it stood, and no `replace` or `remove` fits it.
   */
  readonly version: number
  /** Epoch microseconds, strictly increasing within the collection: no two documents share one. */
  readonly createdUs: number
  /** Epoch microseconds of the last replacement, drawn from the same increasing clock. */
  readonly modifiedUs?: number
}

/**
 * One step of a commit, and the condition under which it may happen.
 *
 * - `insert`: no document has this address, no other one of the collection holds one of its uniques. `fresh`
 *   vouches for the first: the id was drawn at random for this document, and the engine need not look.
 * - `replace`: the document exists with exactly this version; uniques as above, its own excepted.
 * - `remove`: the document exists, with this version where one is given.
 * - `expect`: changes nothing; the document has this version, or does not exist where `version` is 0.
 * - `restore`: as `insert`, but with the version and the stamps that the document had elsewhere. Documents come
 *   in the order in which they were created: `createdUs` is later than that of every document the collection
 *   has or had. The collection's last stamp becomes at least the document's stamps.
 *
 * A condition sees what the writes before it in the same commit did: a remove makes room for an insert.
 */
export type Write =
  | ({ readonly type: 'insert'; readonly fresh?: boolean } & Address & Content)
  | ({ readonly type: 'replace'; readonly version: number } & Address & Content)
  | ({ readonly type: 'remove'; readonly version?: number } & Address)
  | ({ readonly type: 'expect'; readonly version: number } & Address)
  | ({ readonly type: 'restore' } & Address & Content & Written)

/** Why a commit did not happen: the first write whose condition failed. Nothing of it was applied. */
export interface Conflict {
  readonly write: number
  readonly reason: 'exists' | 'missing' | 'version' | 'unique' | 'order'
  /** With `unique`: the document that holds the value. */
  readonly holder?: Digest
}

/** What a write left behind; `undefined` for `remove` and `expect`. */
export interface Written {
  /** From 1 to 2^31 - 1. */
  readonly version: number
  readonly createdUs: number
  readonly modifiedUs?: number
}

export type CommitResult =
  | { readonly ok: true; readonly written: readonly (Written | undefined)[] }
  | { readonly ok: false; readonly conflict: Conflict }

/** Boolean algebra over one collection. Bounds are epoch microseconds, both inclusive. */
export type Query =
  | { readonly op: 'all' }
  | { readonly op: 'none' }
  | { readonly op: 'term'; readonly term: Digest }
  | { readonly op: 'ids'; readonly ids: readonly Digest[] }
  | { readonly op: 'created' | 'modified'; readonly fromUs?: number; readonly toUs?: number }
  | { readonly op: 'and' | 'or'; readonly of: readonly Query[] }
  | { readonly op: 'not'; readonly of: Query }

/** Documents that are over at `nowMs` are in no answer. Order: `createdUs`, newest first unless `oldestFirst`. */
export interface FindOptions {
  readonly nowMs: number
  readonly offset: number
  /** 0 counts only. */
  readonly limit: number
  /** Continue strictly behind this `createdUs` in the order of the answer; `offset` counts from there. */
  readonly afterUs?: number
  readonly oldestFirst?: boolean
  /** No further box is read once those read come to more bytes: the documents from there on are in `rest`. */
  readonly mostBytes?: number
}

/** Which document stands at a place of a page. Another one may take its id later, but not its `createdUs`. */
export interface Place {
  readonly id: Digest
  readonly createdUs: number
}

export interface Found {
  /** Exactly how many documents match, whatever the page (and whatever `afterUs`). */
  readonly total: number
  readonly documents: readonly StoredDocument[]
  /** The end of the page, where `mostBytes` kept it from being read. */
  readonly rest?: readonly Place[]
}

/** A task only one process may do at a time. Whoever holds it loses it at `untilMs`, alive or not. */
export interface Lease {
  readonly name: string
  readonly holder: string
  readonly nowMs: number
  readonly untilMs: number
}

/** Thrown where the engine cannot answer now: a full disk, a lost connection. Nothing was half done. */
export class StoreUnavailable extends OperatorError {
  override readonly name = 'StoreUnavailable'
}

/** Thrown where what is stored cannot be read, now or later. The operator has to repair it. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged'
}

export interface Store {
  /**
   * Applies all writes in one durable step, or none. `nowUs` is the caller's clock: the engine stamps
   * `createdUs` and `modifiedUs` with it, or with just more than the collection's last stamp if that is later.
   * A `restore` has its own stamps. Times and versions that are none are a RangeError, and nothing is done.
   * When the promise resolves with `ok`, the commit survives the death of the process and of the machine,
   * and every `get` and `find` that starts afterwards sees it.
   */
  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult>

  /** The documents at these ids, in their order; `undefined` where there is none. Due ones are included. */
  get(kind: DocumentKind, tenant: string, ids: readonly Digest[]): Promise<(StoredDocument | undefined)[]>

  /**
   * The document at this id, where the engine has its present state at hand without waiting for anything.
   * `undefined` says nothing: ask `get`.
   */
  peek(kind: DocumentKind, tenant: string, id: Digest): StoredDocument | undefined

  /** The matching documents of one collection, total and page read from one consistent state. */
  find(kind: DocumentKind, tenant: string, query: Query, options: FindOptions): Promise<Found>

  /** Documents of a kind, of all tenants, whose `dueMs` is at most `beforeMs`, earliest first. */
  due(kind: DocumentKind, beforeMs: number, limit: number): Promise<StoredDocument[]>

  /** Takes or prolongs a lease; false while another holder has it. */
  lease(lease: Lease): Promise<boolean>

  /** Physically drops what was removed or replaced before this call, as far as the engine can. */
  compact(): Promise<void>

  /**
   * The time in epoch milliseconds that all processes on this store agree on; absent where there is only one,
   * whose own clock is as good.
   */
  now?(): number
  /** Removes everything. Only test servers call it. */
  clear(): Promise<void>

  /** Why the engine cannot write at the moment, or `undefined` when all is well. */
  unhealthy(): string | undefined

  /** Waits for what is under way, then lets go of files and connections. */
  close(): Promise<void>
}
