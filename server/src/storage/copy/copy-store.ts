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
import { mustCommit, RestoreBatch } from './restore-batch.ts'
import { compareStores, type Side } from './verify.ts'
import { beforeAll, type Collection, walkCollection, walkTenants } from './walk.ts'

/** A store and the master key it is under, or is going to be. */
export interface KeyedStore {
  readonly store: Store
  readonly masterKey: Uint8Array
}

/** A store that can be copied: its keys open, and nothing in it is half done. */
export interface Source extends Side {
  /** Tells this store from every other one, and nothing of it. */
  readonly identity: Uint8Array
}

/** How many records were written so far, or read back and compared. */
export type Progress = (done: 'copied' | 'compared', records: number) => void

export interface CopyOptions {
  /** Is only read. Nobody may write to it meanwhile. */
  readonly from: Source
  /** Empty, or holding what an earlier copy of the same source did before it was cut off. */
  readonly to: KeyedStore
  readonly random: Random
  readonly nowUs: number
  /** How many documents share a commit; 500. */
  readonly batchSize?: number
  /** Told again and again how far it has come. */
  readonly onProgress?: Progress
  /** Runs when both stores were compared, and before a server may start on the destination. */
  readonly onVerified?: () => Promise<void>
}

export interface Copied {
  /** How many records this call put in place. */
  readonly copied: number
  /** How many a call before it had put there. */
  readonly already: number
  /** The root of the store not counted. */
  readonly tenants: number
  /** What was cut off on the source's disk, and so is not in the destination: kind, tenant and address. */
  readonly cutOff: readonly string[]
}

/**
 * Looks whether a store can be copied, before anything is made for its copy: all keys of tenants are tried, as
 * half a copy that cannot be finished helps nobody.
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
    for (const document of page) openKeys(document, key).fill(0)
  }
  return { store, key, identity: Buffer.from(new KeyedDigest(root.index).hex('copy', 'source')) }
}

/**
 * Puts all documents of one store into another: unchanged, but for the keys of the tenants, which are wrapped
 * under the destination's master key. Reads both back, compares them, and only then lets a server work on the
 * destination. Leases stay behind: whoever held them is gone.
 *
 * Cut off at whatever point, it is called again: a collection is written in its own order and each commit is
 * whole, so that what is there of a collection is its beginning.
 *
 * Stamps go on behind those of the documents that are there. That a later one was given to a document which is
 * gone is not known to the destination: it matters to nobody, unless its clock is behind that of the source.
 * @throws {CopyRefused | CopyDiffers | StoreUnavailable}
 */
export async function copyStore(options: CopyOptions): Promise<Copied> {
  const { from, random, nowUs, onProgress = () => {} } = options
  const to: Side = { store: options.to.store, key: masterSealingKey(options.to.masterKey) }
  const isResumed = await begin(options, to)
  const batch = new RestoreBatch(to.store, nowUs, options.batchSize)
  for await (const tenant of walkTenants(from.store)) {
    for (const kind of documentKinds) {
      const collection = { kind, tenant }
      const fromUs = isResumed ? await firstMissingUs(to.store, collection) : 0
      for await (const page of walkCollection(from.store, collection, fromUs)) {
        for (const document of page) {
          if (document.version > 0) await batch.add(restoring(document, from.key, to.key, random))
        }
        onProgress('copied', batch.written)
      }
    }
  }
  await batch.finish()
  onProgress('copied', batch.written)

  const { documents, tenants, cutOff } = await compareStores(from, to, records =>
    onProgress('compared', records),
  )
  await options.onVerified?.()
  await mustCommit(to.store, [{ type: 'remove', ...copyMarker.address }], nowUs)
  return { copied: batch.written, already: documents - batch.written, tenants, cutOff }
}

/** Marks the destination as unfinished, and answers whether it was already. */
async function begin({ from, random, nowUs }: CopyOptions, to: Side): Promise<boolean> {
  const { kind, tenant, id } = copyMarker.address
  const rootAddress = addressOf(rootTenant)
  const [marker, root] = await to.store.get(kind, tenant, [id, rootAddress])
  if (marker) {
    const identity = copyMarker.open(to.key, marker)
    if (!identity) {
      throw new CopyRefused(
        'the destination holds a copy that was begun with another master key: go on with that one, or empty it',
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
    // Before every document that is to come into this collection.
    createdUs: 0,
  }
  // A server that starts at this moment makes keys of its own: one of the two comes too late.
  const isNobodys: Write = { type: 'expect', kind, tenant, id: rootAddress, version: 0 }
  await mustCommit(to.store, [marking, isNobodys], nowUs)
  return false
}

/** Where to go on with a collection: behind the newest document that is there. */
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

function openKeys(document: StoredDocument, key: SealingKey): Uint8Array {
  const keys = unwrapKeys(key, document)
  if (!keys) throw keysDoNotOpen(document)
  return keys
}

function keysDoNotOpen({ id }: StoredDocument): CopyRefused {
  return new CopyRefused(`the keys of tenant ${tenantAt(id)} do not open: restore the source first`)
}
