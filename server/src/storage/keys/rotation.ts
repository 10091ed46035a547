import { OperatorError } from '../../base/operator-error.ts'
import type { Random } from '../../base/random.ts'
import type { SealingKey } from '../../crypto/envelope.ts'
import type { Store, StoredDocument, Write } from '../port.ts'
import {
  addressOf,
  copyAddress,
  isTenantAddress,
  masterSealingKey,
  rewrapKeys,
  rootTenant,
  rotationAddress,
  tenantAt,
  UnfinishedCopy,
  unwrapKeys,
} from './keyring.ts'
import { rotationMarker } from './marker.ts'

/** A rotation that cannot be done with these keys on this store; nothing was changed. One sentence. */
export class RotationRefused extends OperatorError {
  override readonly name = 'RotationRefused'
}

export interface RotationOptions {
  readonly store: Store
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly random: Random
  readonly nowUs: number
  /** How many tenants share a commit. */
  readonly batchSize?: number
}

export interface Rotated {
  /** How many tenants this call wrapped anew, the root of the store not counted. */
  readonly rewrapped: number
  readonly tenants: number
  /** The new key was the store's before. */
  readonly already: boolean
}

const defaultBatchSize = 10_000
const nothing = new Uint8Array()

/**
 * Wraps the keys of all tenants under another master key; no data is sealed anew. What fits into one commit
 * is one commit. More is done in several, under a marker that lets no server start meanwhile: it is sealed
 * under the new key, and the root's keys stay under the old one to the last, so that only the same two keys
 * can finish what was cut off. The root's keys and the marker change together in the last commit.
 *
 * Where the new key is the store's already there is nothing to do: a call that was cut off behind its last
 * commit may be repeated.
 * @throws {RotationRefused | UnfinishedCopy | StoreUnavailable}
 */
export async function rotateMasterKey(options: RotationOptions): Promise<Rotated> {
  const { store, random, batchSize = defaultBatchSize } = options
  const from = masterSealingKey(options.from)
  const to = masterSealingKey(options.to)
  const { root, marker, tenants } = await readAll(store)
  if (!root) throw new RotationRefused('this store has no keys yet: start a server with the new master key')
  if (!marker && unwrapKeys(to, root)) return { rewrapped: 0, tenants: tenants.length, already: true }
  if (!unwrapKeys(from, root)) {
    throw new RotationRefused('the old master key is not the one this store was sealed with')
  }
  if (marker && !rotationMarker.open(to, marker)) {
    throw new RotationRefused('a rotation to another new master key was cut off: finish it with that key')
  }
  const waiting = tenants.filter(tenant => !unwrapKeys(to, tenant))
  // All of them are tried before the first is written: a half that cannot be finished helps nobody.
  const writes = waiting.map(tenant => rewrap(tenant, from, to, random))
  const begin: Write[] = marker
    ? []
    : [{ type: 'insert', ...rotationMarker.address, ...rotationMarker.content(to, nothing, random) }]
  const end: Write[] = [rewrap(root, from, to, random)]
  if (writes.length <= batchSize && !marker) {
    await mustCommit(options, [...writes, ...end])
  } else {
    for (let at = 0; at < writes.length; at += batchSize) {
      await mustCommit(options, [...(at === 0 ? begin : []), ...writes.slice(at, at + batchSize)])
    }
    await mustCommit(options, [...end, { type: 'remove', ...rotationMarker.address }])
  }
  // What the old key wrapped still lies in the files until they are written anew.
  await store.compact()
  return { rewrapped: writes.length, tenants: tenants.length, already: false }
}

async function readAll(store: Store) {
  const { documents } = await store.find(
    'tenant',
    rootTenant,
    { op: 'all' },
    { nowMs: 0, offset: 0, limit: Number.MAX_SAFE_INTEGER },
  )
  if (documents.some(({ id }) => id === copyAddress)) throw new UnfinishedCopy()
  const rootAddress = addressOf(rootTenant)
  return {
    root: documents.find(({ id }) => id === rootAddress),
    marker: documents.find(({ id }) => id === rotationAddress),
    tenants: documents.filter(({ id }) => isTenantAddress(id)),
  }
}

function rewrap(document: StoredDocument, from: SealingKey, to: SealingKey, random: Random): Write {
  const { kind, tenant, id, version, terms, uniques } = document
  const box = rewrapKeys(document, from, to, random)
  if (!box) {
    throw new RotationRefused(`the keys of tenant ${tenantAt(id)} do not open: restore the data folder first`)
  }
  return { type: 'replace', kind, tenant, id, version, terms, uniques, box }
}

async function mustCommit({ store, nowUs }: RotationOptions, writes: readonly Write[]): Promise<void> {
  const result = await store.commit(writes, nowUs)
  if (!result.ok) throw new Error(`the keys changed while they were wrapped anew: ${result.conflict.reason}`)
}
