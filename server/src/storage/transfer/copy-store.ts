import type { Random } from '../../base/random.ts'
import { KeyedDigest } from '../../crypto/digest.ts'
import { open, type SealingKey, seal } from '../../crypto/envelope.ts'
import {
  addressOf,
  copyAddress,
  indexKeyOf,
  masterSealingKey,
  rewrapKeys,
  rootTenant,
  tenantAt,
  UnfinishedCopy,
  unwrapKeys,
} from '../keys/keyring.ts'
import { bytesOf } from '../port/decide.ts'
import { type Store, type StoredDocument, sealedAs, type Write } from '../port/port.ts'
import { compareStores, type Side } from './compare.ts'
import { CopyRefused } from './refusal.ts'
import { beforeAll, type Collection, type Documents, documentsIn } from './walk.ts'

/** A store and its master key, present or future. */
export interface KeyedStore {
  readonly store: Store
  readonly masterKey: Uint8Array
}

/** Documents that can be copied: their keys open, and no command on their store was unfinished. */
export interface Source extends Side {
  /** Identifies the store, without revealing anything about it. */
  readonly identity: Uint8Array
  /** The box with the keys of the root. */
  readonly rootBox: Uint8Array
}

type Destination = Side & { readonly store: Store }

/** Called with the number of records copied, or read back and compared, so far. */
export type Progress = (done: 'copied' | 'compared', records: number) => void

export interface CopyOptions {
  /** Is only read. No other process may write to it. */
  readonly from: Source
  /** Empty, or the result of a copy of the same source that was cut off. */
  readonly to: KeyedStore
  readonly random: Random
  readonly nowUs: number
  /** Documents per commit; 500 by default. */
  readonly batchSize?: number
  readonly onProgress?: Progress
  /** Runs when both stores have been compared, before a server can start on the destination. */
  readonly onVerified?: () => Promise<void>
}

export interface Copied {
  /** Records that this call copied. */
  readonly copied: number
  /** Records that earlier calls had copied. */
  readonly already: number
  /** Without the root. */
  readonly tenants: number
  /** Damaged records of the source, which are not in the destination: kind, tenant and address. */
  readonly cutOff: readonly string[]
}

/**
 * Checks that documents can be copied, before anything is written: tries the keys of all tenants, as a copy that
 * cannot be finished is of no use.
 * @throws {CopyRefused | UnfinishedCopy | StoreUnavailable}
 */
export async function openSource(documents: Documents, masterKey: Uint8Array): Promise<Source> {
  const key = masterSealingKey(masterKey)
  let root: { readonly rootBox: Uint8Array; readonly identity: Uint8Array } | undefined
  for await (const page of documents()) {
    // The keys of tenants come first.
    if (page.kind !== 'tenant') break
    for (const document of page.documents) {
      if (document.id === copyAddress) throw new UnfinishedCopy()
      const isRoot = document.id === addressOf(rootTenant)
      const keys = unwrapKeys(key, document)
      if (!keys) throw isRoot ? wrongMasterKey() : keysDoNotOpen(document)
      if (isRoot) root = { rootBox: document.box, identity: identityOf(indexKeyOf(keys)) }
      keys.fill(0)
    }
  }
  if (!root) throw new CopyRefused('the source has no keys yet, and so no records')
  return { documents, key, ...root }
}

/**
 * A document that is there until the copy is complete. The keyring opens no store with it. It is sealed under the master
 * key of the destination and names the source, so that only the same two can go on.
 */
const markerPlace = { kind: 'tenant', tenant: rootTenant, id: copyAddress } as const
const markerContext = 'copy'

const identityOf = (indexKey: Uint8Array) => Buffer.from(new KeyedDigest(indexKey).hex('copy', 'source'))

const wrongMasterKey = () => new CopyRefused('the master key of the source is not the one it was sealed with')

/**
 * Copies all documents of a store into another. Documents are not changed, except that the keys of tenants are
 * wrapped under the destination's master key. Then reads both stores, compares them, and only then allows servers to
 * use the destination. Leases are not copied, as their holders are gone.
 *
 * A copy that was cut off can be continued by calling it again: collections are written in their own order, so that
 * the destination always holds the beginning of each.
 *
 * New stamps in the destination continue after those of the copied documents. Later stamps of deleted documents are
 * not known there, which matters only if its clock is behind that of the source.
 * @throws {CopyRefused | CopyDiffers | StoreUnavailable}
 */
export async function copyStore(options: CopyOptions): Promise<Copied> {
  const { from, random, nowUs, onProgress = () => {} } = options
  const { store } = options.to
  const to = { store, documents: documentsIn(store), key: masterSealingKey(options.to.masterKey) }
  const isResumed = await begin(options, to)
  const writes = restoresOf(from, to, random, isResumed)
  const copied = await restoreInBatches(to.store, writes, nowUs, options.batchSize, count =>
    onProgress('copied', count),
  )
  const { documents, tenants, cutOff } = await compareStores(from, to, records =>
    onProgress('compared', records),
  )
  await options.onVerified?.()
  await mustCommit(to.store, [{ type: 'remove', ...markerPlace }], nowUs)
  return { copied, already: documents - copied, tenants, cutOff }
}

/** Yields the writes that copy all documents that are not in the destination, except for damaged ones. */
async function* restoresOf(
  from: Side,
  to: Destination,
  random: Random,
  isResumed: boolean,
): AsyncGenerator<Write> {
  let last: Collection | undefined
  let fromUs = 0
  for await (const { kind, tenant, documents } of from.documents()) {
    if (isResumed && (last?.kind !== kind || last.tenant !== tenant))
      fromUs = await firstMissingUs(to.store, { kind, tenant })
    last = { kind, tenant }
    for (const document of documents) {
      const isMissing = document.version > 0 && document.createdUs >= fromUs
      if (isMissing) yield restoring(document, from.key, to.key, random)
    }
  }
}

/** Marks the destination as unfinished. Returns true if it was marked before. */
async function begin({ from, random, nowUs }: CopyOptions, to: Destination): Promise<boolean> {
  const { kind, tenant, id } = markerPlace
  const rootAddress = addressOf(rootTenant)
  const [marker, root] = await to.store.get(kind, tenant, [id, rootAddress])
  if (marker) {
    const identity = open(to.key, markerContext, marker.box)
    if (!identity) {
      throw new CopyRefused(
        'the destination holds a copy that was begun with another master key: continue with that key, or empty it',
      )
    }
    if (Buffer.compare(identity, from.identity) === 0) return true
    throw new CopyRefused('the destination holds an unfinished copy of another store: empty it first')
  }
  if (root && Buffer.compare(root.box, from.rootBox) === 0) {
    throw new CopyRefused('the destination is the source itself')
  }
  const all = { nowMs: beforeAll, offset: 0, limit: 0 }
  const { total } = await to.store.find(kind, tenant, { op: 'all' }, all)
  if (total > 0) throw new CopyRefused('the destination holds data already: a copy needs an empty one')
  const marking: Write = {
    type: 'restore',
    ...{ ...markerPlace, terms: [], uniques: [] },
    ...sealedAs(seal(to.key, markerContext, from.identity, random)),
    version: 1,
    // Before every document of this collection.
    createdUs: 0,
  }
  // A server that starts at this moment creates keys: this condition makes one of the two fail.
  const noKeys: Write = { type: 'expect', kind, tenant, id: rootAddress, version: 0 }
  await mustCommit(to.store, [marking, noKeys], nowUs)
  return false
}

/** Returns the stamp after the newest document of the destination's collection. */
async function firstMissingUs(store: Store, { kind, tenant }: Collection): Promise<number> {
  const newest = { nowMs: beforeAll, offset: 0, limit: 1 }
  const [last] = (await store.find(kind, tenant, { op: 'all' }, newest)).documents
  return last ? last.createdUs + 1 : 0
}

function restoring(document: StoredDocument, from: SealingKey, to: SealingKey, random: Random): Write {
  const { box, ...rest } = document
  if (document.kind !== 'tenant') return { type: 'restore', ...rest, ...sealedAs(box) }
  const wrapped = rewrapKeys(document, from, to, random)
  if (!wrapped) throw keysDoNotOpen(document)
  return { type: 'restore', ...rest, ...sealedAs(wrapped) }
}

function keysDoNotOpen({ id }: StoredDocument): CopyRefused {
  return new CopyRefused(`the keys of tenant ${tenantAt(id)} do not open: restore the source first`)
}

const mostBytes = 2 << 20

/**
 * Commits writes in batches, one at a time, so that the store always holds the beginning of each collection. More are
 * read while a batch is being written. Returns their number.
 */
async function restoreInBatches(
  store: Store,
  writes: AsyncIterable<Write>,
  nowUs: number,
  batchSize = 500,
  onWritten: (count: number) => void = () => {},
): Promise<number> {
  let count = 0
  let batch: Write[] = []
  let bytes = 0
  let writing = Promise.resolve()
  const flush = async () => {
    await writing
    const full = batch
    batch = []
    bytes = 0
    writing = mustCommit(store, full, nowUs).then(() => {
      count += full.length
      onWritten(count)
    })
    // The next call awaits it and gets the error; until then it must not count as unhandled.
    writing.catch(() => {})
  }
  for await (const write of writes) {
    batch.push(write)
    bytes += bytesOf([write])
    if (batch.length >= batchSize || bytes >= mostBytes) await flush()
  }
  await flush()
  await writing
  return count
}

/** @throws {CopyRefused} */
async function mustCommit(store: Store, writes: readonly Write[], nowUs: number): Promise<void> {
  const result = await store.commit(writes, nowUs).catch(error => {
    // Times and versions are not sealed, so the source may hold values that are not valid.
    if (!(error instanceof RangeError)) throw error
    throw new CopyRefused(
      `the source holds values that no store accepts: ${error.message}; restore the source first`,
    )
  })
  if (result.ok) return
  const { kind, tenant, id } = writes[result.conflict.write] as Write
  throw new CopyRefused(
    `the destination does not accept ${kind}/${tenant}/${id} (${result.conflict.reason}): ` +
      'another process writes to it, or the source has changed since the copy was begun',
  )
}
