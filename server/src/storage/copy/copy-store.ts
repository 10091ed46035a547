import type { Random } from '../../base/random.ts'
import type { SealingKey } from '../../crypto/envelope.ts'
import { KeyedDigest } from '../../crypto/keyed-digest.ts'
import {
  addressOf,
  Keyring,
  masterSealingKey,
  rewrapKeys,
  rootTenant,
  tenantAt,
  unwrapKeys,
  WrongMasterKey,
} from '../keys/keyring.ts'
import { copyMarker } from '../keys/marker.ts'
import { documentKinds, type Store, type StoredDocument, type Write } from '../port.ts'
import { CopyRefused } from './refused.ts'
import { mustCommit, restoreInBatches } from './restore.ts'
import { compareStores, type Side } from './verify.ts'
import { beforeAll, type Collection, walkCollection, walkTenants } from './walk.ts'

/** A store and its master key, present or future. */
export interface KeyedStore {
  readonly store: Store
  readonly masterKey: Uint8Array
}

/** A store that can be copied: its keys open, and no command on it is unfinished. */
export interface Source extends Side {
  /** Identifies the store, without revealing anything about it. */
  readonly identity: Uint8Array
}

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
 * Checks that a store can be copied, before anything is written: tries the keys of all tenants, as a copy that
 * cannot be finished is of no use.
 * @throws {CopyRefused | UnfinishedRotation | UnfinishedCopy | StoreUnavailable}
 */
export async function openSource({ store, masterKey }: KeyedStore, random: Random): Promise<Source> {
  const root = await new Keyring(store, masterKey, random).open(rootTenant).catch(error => {
    if (!(error instanceof WrongMasterKey)) throw error
    throw new CopyRefused('the master key of the source is not the one it was sealed with')
  })
  if (!root) throw new CopyRefused('the source has no keys yet, and so no records')
  const key = masterSealingKey(masterKey)
  for await (const page of walkCollection(store, { kind: 'tenant', tenant: rootTenant })) {
    for (const document of page) {
      const keys = unwrapKeys(key, document)
      if (!keys) throw keysDoNotOpen(document)
      keys.fill(0)
    }
  }
  return { store, key, identity: Buffer.from(new KeyedDigest(root.index).hex('copy', 'source')) }
}

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
  const to: Side = { store: options.to.store, key: masterSealingKey(options.to.masterKey) }
  const isResumed = await begin(options, to)
  const writes = restoresOf(from, to, random, isResumed)
  const copied = await restoreInBatches(to.store, writes, nowUs, options.batchSize, count =>
    onProgress('copied', count),
  )
  const { documents, tenants, cutOff } = await compareStores(from, to, records =>
    onProgress('compared', records),
  )
  await options.onVerified?.()
  await mustCommit(to.store, [{ type: 'remove', ...copyMarker.address }], nowUs)
  return { copied, already: documents - copied, tenants, cutOff }
}

/** Yields the writes that copy all documents that are not in the destination, except for damaged ones. */
async function* restoresOf(from: Side, to: Side, random: Random, isResumed: boolean): AsyncGenerator<Write> {
  for await (const tenant of walkTenants(from.store)) {
    for (const kind of documentKinds) {
      const collection = { kind, tenant }
      const fromUs = isResumed ? await firstMissingUs(to.store, collection) : 0
      for await (const page of walkCollection(from.store, collection, fromUs)) {
        for (const document of page) {
          if (document.version > 0) yield restoring(document, from.key, to.key, random)
        }
      }
    }
  }
}

/** Marks the destination as unfinished. Returns true if it was marked before. */
async function begin({ from, random, nowUs }: CopyOptions, to: Side): Promise<boolean> {
  const { kind, tenant, id } = copyMarker.address
  const rootAddress = addressOf(rootTenant)
  const [marker, root] = await to.store.get(kind, tenant, [id, rootAddress])
  if (marker) {
    const identity = copyMarker.open(to.key, marker)
    if (!identity) {
      throw new CopyRefused(
        'the destination holds a copy that was begun with another master key: continue with that key, or empty it',
      )
    }
    if (Buffer.compare(identity, from.identity) === 0) return true
    throw new CopyRefused('the destination holds an unfinished copy of another store: empty it first')
  }
  const [own] = await from.store.get(kind, tenant, [rootAddress])
  if (root && own && Buffer.compare(root.box, own.box) === 0) {
    throw new CopyRefused('the destination is the source itself')
  }
  const all = { nowMs: beforeAll, offset: 0, limit: 0 }
  const { total } = await to.store.find(kind, tenant, { op: 'all' }, all)
  if (total > 0) throw new CopyRefused('the destination holds data already: a copy needs an empty one')
  const marking: Write = {
    type: 'restore',
    ...copyMarker.address,
    ...copyMarker.content(to.key, from.identity, random),
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
  if (document.kind !== 'tenant') return { type: 'restore', ...document }
  const box = rewrapKeys(document, from, to, random)
  if (!box) throw keysDoNotOpen(document)
  return { type: 'restore', ...document, box }
}

function keysDoNotOpen({ id }: StoredDocument): CopyRefused {
  return new CopyRefused(`the keys of tenant ${tenantAt(id)} do not open: restore the source first`)
}
