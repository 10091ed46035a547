import type { Principal } from '../../base/flow/principal.ts'
import { OperatorError } from '../../base/operator-error.ts'
import type { DocumentKind } from './kinds.ts'

/**
 * The store as the domain sees it: sealed documents that are found by opaque terms.
 *
 * An engine knows no plaintext and none of our rules. It keeps boxes, keyed digests and times, decides
 * conditions atomically, and evaluates boolean queries over terms. `port.cases.ts` runs the same cases against
 * each engine.
 */

export { type DocumentKind, documentKinds } from './kinds.ts'

/** 16 bytes in 22 characters of base64url, the unused bits zero. Engines may rely on that. */
export type Digest = string & { readonly digest: unique symbol }

/** The address of a document. `tenant` is a lower-case UUID, `id` a keyed digest of the caller's id. */
export interface Address {
  readonly kind: DocumentKind
  readonly tenant: string
  readonly id: Digest
}

/** The content of a document. */
export interface Content {
  /** Values that a search may match. No duplicates. */
  readonly terms: readonly Digest[]
  /** Values that no other document of the collection may have at the same time. */
  readonly uniques: readonly Digest[]
  /** Epoch milliseconds. From then on `find` omits the document and `due` lists it. */
  readonly dueMs?: number
  readonly box: Uint8Array
}

/** The content of a document that is written, before its box is made. */
export interface NewContent extends Omit<Content, 'box'> {
  /** About the length of the box. */
  readonly bytes: number
  /** Makes the box when the commit has decided version and stamps, which it is bound to. May be called again. */
  seal(stamps: Stamps): Uint8Array
}

/** Returns the content of a write whose box exists already. */
export function sealedAs(box: Uint8Array): Pick<NewContent, 'bytes' | 'seal'> {
  return { bytes: box.length, seal: () => box }
}

export interface StoredDocument extends Address, Content {
  /**
   * 1 after the insert, and one more after each replacement. 0 where the stored value is damaged: such a document
   * has an empty box and keeps its place on pages, and no `replace` or `remove` succeeds on it.
   */
  readonly version: number
  /** Epoch microseconds, strictly increasing within the collection. */
  readonly createdUs: number
  /** Epoch microseconds of the last replacement, from the same increasing clock. */
  readonly modifiedUs?: number
}

/**
 * One step of a commit, and its condition.
 *
 * - `insert`: no document has this address, and no other document of the collection has one of its uniques.
 *   `fresh` promises the first: the id was made at random for this document, so the engine need not look.
 * - `replace`: the document exists with exactly this version; uniques as for `insert`, its own excepted.
 * - `remove`: the document exists, with this version if one is given.
 *   With a `createdUs` both also require that the document was created then: versions begin again at 1 if an address is
 *   used again, so the version alone may be that of another document.
 * - `expect`: changes nothing; the document has this version, or does not exist where `version` is 0.
 * - `restore`: as `insert`, but with the version and the stamps that the document had in another store. Documents
 *   come in the order of their creation: `createdUs` is later than that of every document the collection has or
 *   had. The collection's last stamp becomes at least the document's stamps.
 *
 * A condition sees the effect of the writes before it in the same commit: a remove makes room for an insert.
 */
export type Write =
  | ({ readonly type: 'insert'; readonly fresh?: boolean } & Address & NewContent)
  | ({ readonly type: 'replace'; readonly version: number; readonly createdUs?: number } & Address &
      NewContent)
  | ({ readonly type: 'remove'; readonly version?: number; readonly createdUs?: number } & Address)
  | ({ readonly type: 'expect'; readonly version: number } & Address)
  | ({ readonly type: 'restore' } & Address & NewContent & Written)

/** The first write of a commit whose condition failed. Nothing of the commit was applied. */
export interface Conflict {
  readonly write: number
  readonly reason: 'exists' | 'missing' | 'version' | 'unique' | 'order'
  /** For `unique`: the id of the document that has the value. */
  readonly holder?: Digest
}

/** The version and the stamps of a document. */
export interface Stamps {
  /** From 1 to 2^31 - 1. */
  readonly version: number
  readonly createdUs: number
  readonly modifiedUs?: number | undefined
}

/** The version and the stamps that a write gave its document. */
export interface Written extends Stamps {
  readonly modifiedUs?: number
}

export type CommitResult =
  /** `written` has an element for each write; `undefined` for `remove` and `expect`. */
  | { readonly ok: true; readonly written: readonly (Written | undefined)[] }
  | { readonly ok: false; readonly conflict: Conflict }

/** A boolean query over one collection. Bounds are epoch microseconds, both inclusive. */
export type Query =
  | { readonly op: 'all' }
  | { readonly op: 'none' }
  | { readonly op: 'term'; readonly term: Digest }
  | { readonly op: 'ids'; readonly ids: readonly Digest[] }
  | { readonly op: 'created' | 'modified'; readonly fromUs?: number; readonly toUs?: number }
  | { readonly op: 'and' | 'or'; readonly of: readonly Query[] }
  | { readonly op: 'not'; readonly of: Query }

/** Documents that are due at `nowMs` are omitted. Order: `createdUs`, newest first unless `oldestFirst`. */
export interface FindOptions {
  readonly nowMs: number
  readonly offset: number
  /** With 0, documents are only counted. */
  readonly limit: number
  /** Continues strictly after this `createdUs`, in the order of the page; `offset` counts from there. */
  readonly afterUs?: number
  readonly oldestFirst?: boolean
  /** Once the boxes read exceed this, no more are read: the remaining documents of the page are in `rest`. */
  readonly mostBytes?: number
  /** Whom the search is for, if it is for a request: it takes turns with others. */
  readonly principal?: Principal
}

/** Identifies a document of a page. Another document may take its id later, but not its `createdUs`. */
export interface Position {
  readonly id: Digest
  readonly createdUs: number
}

export interface Found {
  /** The exact number of matching documents, regardless of page and `afterUs`. */
  readonly total: number
  readonly documents: readonly StoredDocument[]
  /** The end of the page, which was not read because of `mostBytes`. */
  readonly rest?: readonly Position[]
}

/** The right to do a task that only one process may do at a time. It ends at `untilMs`. */
export interface Lease {
  readonly name: string
  readonly holder: string
  readonly nowMs: number
  readonly untilMs: number
}

/** Thrown where the engine cannot work at the moment: a full disk, a lost connection. Nothing was half done. */
export class StoreUnavailable extends OperatorError {
  override readonly name: string = 'StoreUnavailable'
}

/** Thrown for what was read from a store that was emptied since. */
export class StoreEmptied extends StoreUnavailable {
  override readonly name = 'StoreEmptied'
}

/** Thrown where stored data are damaged. The operator has to repair them. */
export class StoreDamaged extends OperatorError {
  override readonly name = 'StoreDamaged'
}

export interface Engine {
  /**
   * Applies all writes in one durable step, or none. `nowUs` is the caller's clock: `createdUs` and `modifiedUs`
   * are this time, or one more than the collection's last stamp if that is later. A `restore` has its own stamps.
   * When the promise resolves with `ok`, the commit survives a crash of the process and of the machine, and every
   * `get` and `find` that starts afterwards sees it.
   * @throws {RangeError} for times and versions that are not valid; nothing is done then
   */
  commit(writes: readonly Write[], nowUs: number): Promise<CommitResult>

  /** Returns the documents with these ids, in their order; `undefined` where none exists. Includes due ones. */
  get(kind: DocumentKind, tenant: string, ids: readonly Digest[]): Promise<(StoredDocument | undefined)[]>

  /**
   * Returns a document as `get` would, if it is in memory; `undefined` if it has to be read, or does not exist. A request
   * finds its key and its application without waiting. Engines that keep no documents in memory return none.
   */
  inMemory(kind: DocumentKind, tenant: string, id: Digest): StoredDocument | undefined

  /** Finds documents of one collection; total and page are read from one consistent state. */
  find(kind: DocumentKind, tenant: string, query: Query, options: FindOptions): Promise<Found>

  /** Returns documents of a kind, of all tenants, whose `dueMs` is at most `beforeMs`, earliest first. */
  due(kind: DocumentKind, beforeMs: number, limit: number): Promise<StoredDocument[]>

  /** Takes or prolongs a lease. Returns false while another holder has it. */
  lease(lease: Lease): Promise<boolean>

  /**
   * Erases the bytes of documents that were removed or replaced before this call, as far as the engine can, but for those
   * of the kinds in `notErased`.
   */
  compact(): Promise<void>

  /** Returns the time, in epoch milliseconds, that all processes on this store share. */
  now(): number

  /** Returns why the engine cannot write at the moment; `undefined` when it can. */
  unhealthy(): string | undefined

  /** Waits for work in progress, then closes files and connections. */
  close(): Promise<void>
}

/** What tests do with an engine. Every engine implements it; rooms know nothing of it. */
export interface TestEngine {
  /** Removes everything. */
  clear(): Promise<void>

  /**
   * Returns a function that puts the documents of a tenant back to what they are now, without those of others. Keys of
   * its applications, which lie with those of all tenants, are added again. Returns `undefined` from engines that cannot
   * do this at once.
   * @param root the tenant that has the keys
   */
  snapshot(tenant: string, root: string): (() => void) | undefined
}

/** An engine with both of its sides, as it is opened. */
export type OpenEngine = Engine & TestEngine

export function matchTerm(term: Digest): Query {
  return { op: 'term', term }
}

export function matchAny(of: readonly Query[]): Query {
  const [only] = of
  if (only === undefined) return { op: 'none' }
  return of.length === 1 ? only : { op: 'or', of }
}

export function matchAll(of: readonly Query[]): Query {
  const needed = of.filter(query => query.op !== 'all')
  const [only] = needed
  if (only === undefined) return { op: 'all' }
  return needed.length === 1 ? only : { op: 'and', of: needed }
}

/** A UUID and a digest are both 16 bytes, so each can be written as the other. */
export function digestOfUuid(uuid: string): Digest {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url') as Digest
}

export function uuidOfDigest(digest: Digest): string {
  const hex = Buffer.from(digest, 'base64url').toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
