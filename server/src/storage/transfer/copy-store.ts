import { OperatorError } from '../../base/operator-error.ts'
import type { Random } from '../../base/random.ts'
import type { SealingKey } from '../../crypto/envelope.ts'
import {
  addressOf,
  copyAddress,
  masterSealingKey,
  rewrapKeys,
  rootTenant,
  tenantAt,
  UnfinishedCopy,
  unwrapKeys,
} from '../keys/keyring.ts'
import type { Collection } from '../port/collection.ts'
import { bytesOf } from '../port/decide.ts'
import { type Engine, type StoredDocument, sealedAs, type Write } from '../port/port.ts'
import { compareStores, type Side } from './compare.ts'
import { beforeAll, type Documents, documentsIn } from './walk.ts'

/** Thrown where these stores cannot be copied with these keys. */
export class CopyRefused extends OperatorError {
  override readonly name = 'CopyRefused'
}

/** A store and its master key, present or future. */
export interface KeyedStore {
  readonly store: Engine
  readonly masterKey: Uint8Array
}

/** Called with the number of records copied, or read back and compared, so far. */
export type Progress = (done: 'copied' | 'compared', records: number) => void

export interface CopyOptions {
  /** From `openSource`. No other process may write to it. */
  readonly from: Side
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
export async function openSource(documents: Documents, masterKey: Uint8Array): Promise<Side> {
  const key = masterSealingKey(masterKey)
  let hasRoot = false
  for await (const page of documents()) {
    // The keys of tenants come first.
    if (page.kind !== 'tenant') break
    for (const document of page.documents) {
      if (document.id === copyAddress) throw new UnfinishedCopy()
      const isRoot = document.id === addressOf(rootTenant)
      const keys = unwrapKeys(key, document)
      if (!keys && isRoot) {
        throw new CopyRefused('the master key of the source is not the one it was sealed with')
      }
      if (!keys) throw keysDoNotOpen(document)
      keys.fill(0)
      hasRoot ||= isRoot
    }
  }
  if (!hasRoot) throw new CopyRefused('the source has no keys yet, and so no records')
  return { documents, key }
}

/** A document that is there until the copy is complete. The keyring opens no store with it. */
const markerPlace = { kind: 'tenant', tenant: rootTenant, id: copyAddress } as const

/**
 * Copies all documents of a store into another. Documents are not changed, except that the keys of tenants are
 * wrapped under the destination's master key. Then reads both stores, compares them, and only then allows servers to
 * use the destination. Leases are not copied, as their holders are gone.
 *
 * A copy that was cut off can be continued by calling it again: collections are written in their own order, so that
 * the destination always holds the beginning of each. If it was begun with another source or key, the stores differ.
 *
 * New stamps in the destination continue after those of the copied documents. Later stamps of deleted documents are
 * not known there, which matters only if its clock is behind that of the source.
 * @throws {CopyRefused | CopyDiffers | StoreUnavailable}
 */
export async function copyStore(options: CopyOptions): Promise<Copied> {
  const { from, nowUs, onProgress = () => {} } = options
  const { store, masterKey } = options.to
  const to = { documents: documentsIn(store), key: masterSealingKey(masterKey) }
  const isResumed = await begin(store, nowUs)
  const copied = await copyDocuments(options, to.key, isResumed)
  const { documents, tenants, cutOff } = await compareStores(from, to, records =>
    onProgress('compared', records),
  )
  await options.onVerified?.()
  await mustCommit(store, [{ type: 'remove', ...markerPlace }], nowUs)
  return { copied, already: documents - copied, tenants, cutOff }
}

/** Marks the destination as unfinished. Returns true if it was marked before. */
async function begin(store: Engine, nowUs: number): Promise<boolean> {
  const { kind, tenant, id } = markerPlace
  const [marker] = await store.get(kind, tenant, [id])
  if (marker) return true
  const all = { nowMs: beforeAll, offset: 0, limit: 0 }
  const { total } = await store.find(kind, tenant, { op: 'all' }, all)
  if (total > 0) throw new CopyRefused('the destination holds data already: a copy needs an empty one')
  const marking: Write = {
    type: 'restore',
    ...{ ...markerPlace, terms: [], uniques: [], ...sealedAs(new Uint8Array()) },
    version: 1,
    // Before every document of this collection.
    createdUs: 0,
  }
  // A server that starts at this moment creates keys: this condition makes one of the two fail.
  const noKeys: Write = { type: 'expect', kind, tenant, id: addressOf(rootTenant), version: 0 }
  await mustCommit(store, [marking, noKeys], nowUs)
  return false
}

const mostBytes = 2 << 20

/** Copies all documents that are not in the destination, except for damaged ones. Returns their number. */
async function copyDocuments(
  { from, to: { store }, random, nowUs, batchSize = 500, onProgress = () => {} }: CopyOptions,
  key: SealingKey,
  isResumed: boolean,
): Promise<number> {
  let copied = 0
  let batch: Write[] = []
  const flush = async () => {
    await mustCommit(store, batch, nowUs)
    copied += batch.length
    onProgress('copied', copied)
    batch = []
  }
  let last: Collection | undefined
  let fromUs = 0
  for await (const { kind, tenant, documents } of from.documents()) {
    if (isResumed && (last?.kind !== kind || last.tenant !== tenant))
      fromUs = await firstMissingUs(store, { kind, tenant })
    last = { kind, tenant }
    for (const document of documents) {
      if (document.version === 0 || document.createdUs < fromUs) continue
      batch.push(restoring(document, from.key, key, random))
      if (batch.length >= batchSize || bytesOf(batch) >= mostBytes) await flush()
    }
  }
  await flush()
  return copied
}

/** Returns the stamp after the newest document of the destination's collection. */
async function firstMissingUs(store: Engine, { kind, tenant }: Collection): Promise<number> {
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

/** @throws {CopyRefused} */
async function mustCommit(store: Engine, writes: readonly Write[], nowUs: number): Promise<void> {
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
      'another process writes to it, or it holds an unfinished copy of another source: empty it first',
  )
}
