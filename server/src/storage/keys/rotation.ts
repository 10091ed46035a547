import { OperatorError } from '../../base/operator-error.ts'
import type { Random } from '../../base/random.ts'
import { type Engine, type StoredDocument, sealedAs, type Write } from '../port/port.ts'
import {
  addressOf,
  copyAddress,
  isTenantAddress,
  masterSealingKey,
  rewrapKeys,
  rootTenant,
  tenantAt,
  UnfinishedCopy,
  unwrapKeys,
} from './keyring.ts'

/** Thrown where these keys cannot be used to rotate this store; nothing was changed. */
export class RotationRefused extends OperatorError {
  override readonly name = 'RotationRefused'
}

interface RotationOptions {
  readonly store: Engine
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly random: Random
  readonly nowUs: number
}

export interface Rotated {
  /** Without the root. */
  readonly tenants: number
  /** True if the store was under the new key before. */
  readonly already: boolean
}

/**
 * Rewraps the keys of all tenants under another master key, in one commit; data are not sealed again. A store that is
 * under the new key already is left as it is, so a rotation may be repeated.
 * @throws {RotationRefused | UnfinishedCopy | StoreUnavailable}
 */
export async function rotateMasterKey(options: RotationOptions): Promise<Rotated> {
  const { store, random, nowUs } = options
  const [from, to] = [masterSealingKey(options.from), masterSealingKey(options.to)]
  const all = { nowMs: 0, offset: 0, limit: Number.MAX_SAFE_INTEGER }
  const { documents } = await store.find('tenant', rootTenant, { op: 'all' }, all)
  if (documents.some(({ id }) => id === copyAddress)) throw new UnfinishedCopy()
  const root = documents.find(({ id }) => id === addressOf(rootTenant))
  const tenants = documents.filter(({ id }) => isTenantAddress(id))
  if (!root) throw new RotationRefused('this store has no keys yet: start a server with the new master key')
  if (unwrapKeys(to, root)) return { tenants: tenants.length, already: true }
  if (!unwrapKeys(from, root)) {
    throw new RotationRefused('the old master key is not the one this store was sealed with')
  }
  const rewrap = (document: StoredDocument): Write => {
    const { kind, tenant, id, version, terms, uniques } = document
    const box = rewrapKeys(document, from, to, random)
    if (box) return { type: 'replace', kind, tenant, id, version, terms, uniques, ...sealedAs(box) }
    throw new RotationRefused(`the keys of tenant ${tenantAt(id)} do not open: restore the data folder first`)
  }
  const result = await store.commit([root, ...tenants].map(rewrap), nowUs)
  if (!result.ok) throw new Error(`the keys changed during the rotation: ${result.conflict.reason}`)
  // The boxes under the old key stay in the files until these are compacted.
  await store.compact()
  return { tenants: tenants.length, already: false }
}
