import { OperatorError } from '../../base/operator-error.ts'
import type { Random } from '../../base/random.ts'
import { BoxError, keyLength, open, type SealingKey, seal } from '../../crypto/envelope.ts'
import { type Digest, type Store, type StoredDocument, StoreUnavailable } from '../port.ts'
import { BrokenRecord } from '../records/broken-record.ts'
import { digestOfUuid, uuidOfDigest } from '../uuid.ts'

/**
 * The keys of each tenant, wrapped by the master key and kept in the store.
 *
 * A tenant has a data key, which seals its documents, and an index key, which turns what may be searched
 * into terms. Both are random; the master key wraps them and does nothing else, so a new master key means
 * wrapping anew, not sealing anew. The root tenant's own keys are the check that the master key is the right one.
 */
export const rootTenant = '00000000-0000-0000-0000-000000000000'

export interface TenantKeys {
  readonly data: SealingKey
  readonly index: Uint8Array
}

export class WrongMasterKey extends OperatorError {
  override readonly name = 'WrongMasterKey'
}

/** The store stands between two master keys, and no server may work on it. */
export class UnfinishedRotation extends OperatorError {
  override readonly name = 'UnfinishedRotation'

  constructor() {
    super('a rotation of the master key was cut off: run rotate-master-key again with the same two keys')
  }
}

/** A copy into this store has not come to its end, and no server may work on what is there. */
export class UnfinishedCopy extends OperatorError {
  override readonly name = 'UnfinishedCopy'

  constructor() {
    super('a copy into this store was cut off: run copy again with the same stores and keys')
  }
}

const firstVersion = 1

export class Keyring {
  readonly #store: Store
  readonly #master: SealingKey
  readonly #random: Random
  readonly #opened = new Map<string, Promise<TenantKeys | undefined>>()

  constructor(store: Store, masterKey: Uint8Array, random: Random) {
    this.#store = store
    this.#master = masterSealingKey(masterKey)
    this.#random = random
  }

  /** The keys of a tenant, or `undefined` where there is no such tenant. @throws {WrongMasterKey} */
  open(tenant: string): Promise<TenantKeys | undefined> {
    const known = this.#opened.get(tenant)
    if (known) return known
    const opening = this.#read(tenant)
    this.#opened.set(tenant, opening)
    // Only keys that were found stay: a tenant may be made later, a store may answer again.
    const forget = () => this.#opened.delete(tenant)
    opening.then(keys => keys ?? forget(), forget)
    return opening
  }

  /** Makes the keys of a tenant if there are none. Two processes doing so at once end with the same ones. */
  async create(tenant: string, nowUs: number): Promise<TenantKeys> {
    const existing = await this.open(tenant)
    if (existing) return existing
    const bytes = this.#random.bytes(2 * keyLength)
    const box = wrapKeys(this.#master, addressOf(tenant), bytes, this.#random)
    await this.#store.commit(
      [
        {
          type: 'insert',
          kind: 'tenant',
          tenant: rootTenant,
          id: addressOf(tenant),
          terms: [],
          uniques: [],
          box,
        },
      ],
      nowUs,
    )
    const keys = await this.open(tenant)
    if (!keys) throw new StoreUnavailable('the keys of a tenant were written and are not there')
    return keys
  }

  /** Forgets what is held in memory, after the store was emptied. */
  forget(): void {
    this.#opened.clear()
  }

  /** @throws {WrongMasterKey | UnfinishedRotation | UnfinishedCopy | BrokenRecord} */
  async #read(tenant: string): Promise<TenantKeys | undefined> {
    const [document, rotation, copy] = await this.#store.get('tenant', rootTenant, [
      addressOf(tenant),
      ...(tenant === rootTenant ? [rotationAddress, copyAddress] : []),
    ])
    if (rotation) throw new UnfinishedRotation()
    if (copy) throw new UnfinishedCopy()
    if (!document) return undefined
    const bytes = unwrapKeys(this.#master, document)
    if (bytes) {
      return {
        data: { version: firstVersion, key: bytes.subarray(0, keyLength) },
        index: bytes.subarray(keyLength, 2 * keyLength),
      }
    }
    if (tenant === rootTenant) {
      throw new WrongMasterKey('the master key is not the one this store was sealed with')
    }
    // Where the root's keys open the master key is right, and it is this tenant's that were changed.
    await this.open(rootTenant)
    throw new BrokenRecord('tenant', rootTenant, document.id)
  }
}

/** The wrapped keys of a tenant, ready to be stored. */
export function wrapKeys(master: SealingKey, address: Digest, bytes: Uint8Array, random: Random): Uint8Array {
  return seal(master, wrapContext(address), bytes, random)
}

/** The keys in a document of kind `tenant`, or `undefined` where another master key wrapped them. */
export function unwrapKeys(master: SealingKey, document: StoredDocument): Uint8Array | undefined {
  try {
    return open(master, wrapContext(document.id), document.box)
  } catch (error) {
    if (error instanceof BoxError) return undefined
    throw error
  }
}

/** The same keys wrapped by another master key, or `undefined` where `from` does not open them. */
export function rewrapKeys(
  document: StoredDocument,
  from: SealingKey,
  to: SealingKey,
  random: Random,
): Uint8Array | undefined {
  const keys = unwrapKeys(from, document)
  if (!keys) return undefined
  const box = wrapKeys(to, document.id, keys, random)
  keys.fill(0)
  return box
}

export function masterSealingKey(key: Uint8Array): SealingKey {
  if (key.length !== keyLength) throw new RangeError(`the master key has ${keyLength} bytes`)
  return { version: firstVersion, key }
}

function wrapContext(address: Digest): string {
  return `tenant-keys|${address}`
}

/** The address of a tenant's keys: the bytes of its own id, which is no secret. */
export const addressOf = digestOfUuid
export const tenantAt = uuidOfDigest

/** What stands at these while a command has the store half done: UUIDs of ours are never all ones. */
export const rotationAddress = addressOf('ffffffff-ffff-ffff-ffff-ffffffffffff')
export const copyAddress = addressOf('ffffffff-ffff-ffff-ffff-fffffffffffe')
const notTenants: ReadonlySet<Digest> = new Set([addressOf(rootTenant), rotationAddress, copyAddress])

/** Whether a document of kind `tenant` holds the keys of a tenant, not those of the root or a marker. */
export function isTenantAddress(address: Digest): boolean {
  return !notTenants.has(address)
}
