import { OperatorError } from '../../base/operator-error.ts'
import type { Random } from '../../base/random.ts'
import type { SealingKey } from '../../crypto/envelope.ts'
import { type Store, type StoredDocument, sealedAs, type Write } from '../port/port.ts'
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

/** Thrown where these keys cannot be used to rotate this store; nothing was changed. */
export class RotationRefused extends OperatorError {
  override readonly name = 'RotationRefused'
}

interface RotationOptions {
  readonly store: Store
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly random: Random
  readonly nowUs: number
  /** Number of tenants per commit. */
  readonly batchSize?: number
}

export interface Rotated {
  /** Number of tenants whose keys this call rewrapped, without the root. */
  readonly rewrapped: number
  readonly tenants: number
  /** True if the store was under the new key before. */
  readonly already: boolean
}

const defaultBatchSize = 10_000
const nothing = new Uint8Array()

/**
 * Rewraps the keys of all tenants under another master key; data are not sealed again. Up to `batchSize` tenants
 * are one commit. More take several, under a marker that prevents servers from starting. The marker is sealed under
 * the new key, and the root's keys stay under the old one until the last commit, so that only the same two keys can
 * finish a rotation that was cut off. The last commit rewraps the root's keys and removes the marker.
 *
 * A store that is under the new key already is left as it is, so a rotation may be repeated.
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
  // Rewraps all before the first commit, so that a key that does not open is found before anything changes.
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
  // The boxes under the old key stay in the files until these are compacted.
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
  return { type: 'replace', kind, tenant, id, version, terms, uniques, ...sealedAs(box) }
}

async function mustCommit({ store, nowUs }: RotationOptions, writes: readonly Write[]): Promise<void> {
  const result = await store.commit(writes, nowUs)
  if (!result.ok) throw new Error(`the keys changed during the rotation: ${result.conflict.reason}`)
}
