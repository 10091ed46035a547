import { OperatorError } from '../../base/operator-error.ts'
import type { Random } from '../../base/random.ts'
import { keyLength, open, type SealingKey, seal } from '../../crypto/envelope.ts'
import { BrokenRecord } from '../broken-record.ts'
import {
  type Digest,
  digestOfUuid,
  type Engine,
  type StoredDocument,
  StoreUnavailable,
  sealedAs,
  uuidOfDigest,
  type Write,
} from '../port/port.ts'

/** The tenant of the operator. Opening its keys shows that the master key is the right one. */
export const rootTenant = '00000000-0000-0000-0000-000000000000'

export interface TenantKeys {
  /** Seals documents. */
  readonly data: SealingKey
  /** Turns searchable values into terms. */
  readonly index: Uint8Array
  /** Tells them from earlier keys of a tenant that was removed and made again. */
  readonly createdUs: number
}

export class WrongMasterKey extends OperatorError {
  override readonly name = 'WrongMasterKey'
}

/** Thrown for a store that holds an incomplete copy; no server may use it. */
export class UnfinishedCopy extends OperatorError {
  override readonly name = 'UnfinishedCopy'

  constructor() {
    super('a copy into this store was cut off: run copy again with the same stores and keys')
  }
}

const firstVersion = 1

/**
 * The keys of the tenants, random and kept in the store, wrapped by the master key. In a store the master key does
 * nothing else (envelope encryption): for a new one, only these keys are wrapped again.
 */
export class Keyring {
  readonly #store: Engine
  readonly #master: SealingKey
  readonly #random: Random
  /** Of the document with the root's keys, when they were opened. */
  #rootVersion: number | undefined
  #failure: string | undefined

  constructor(store: Engine, masterKey: Uint8Array, random: Random) {
    this.#store = store
    this.#master = masterSealingKey(masterKey)
    this.#random = random
  }

  /** Returns a keyring with the same master key for another store, in which the keys of the root are, too. */
  over(store: Engine): Keyring {
    const made = new Keyring(store, this.#master.key, this.#random)
    made.#rootVersion = this.#rootVersion
    return made
  }

  /** Why the keys of tenants cannot be opened any more, or `undefined`. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** Creates the keys of a tenant that has none. Two processes that do so at once get the same keys. */
  async create(tenant: string, nowUs: number): Promise<TenantKeys> {
    const existing = await this.open(tenant)
    if (existing) return existing
    const bytes = this.#random.bytes(2 * keyLength)
    const box = wrapKeys(this.#master, addressOf(tenant), bytes, this.#random)
    const address = { kind: 'tenant', tenant: rootTenant, id: addressOf(tenant) } as const
    const insert: Write = { type: 'insert', ...address, terms: [], uniques: [], ...sealedAs(box) }
    const version = tenant === rootTenant ? undefined : this.#rootVersion
    // A rotation of the master key changes the root's: keys under the old one must not follow it.
    const unrotated: Write[] =
      version === undefined ? [] : [{ type: 'expect', ...address, id: addressOf(rootTenant), version }]
    await this.#store.commit([insert, ...unrotated], nowUs)
    const keys = await this.open(tenant)
    if (!keys) await this.#checkRoot()
    if (!keys) throw new StoreUnavailable('the keys of a tenant were written but cannot be read')
    return keys
  }

  /** Returns when the keys of a tenant were made; `undefined` if there are none. */
  async createdUs(tenant: string): Promise<number | undefined> {
    const [document] = await this.#store.get('tenant', rootTenant, [addressOf(tenant)])
    return document?.createdUs
  }

  /** Forgets that there was a root, after the store was emptied. */
  forget(): void {
    this.#rootVersion = undefined
  }

  /**
   * Returns the keys of a tenant; `undefined` if there is no such tenant.
   * @throws {WrongMasterKey | UnfinishedCopy | BrokenRecord}
   */
  async open(tenant: string): Promise<TenantKeys | undefined> {
    const [document, copy] = await this.#store.get('tenant', rootTenant, [
      addressOf(tenant),
      ...(tenant === rootTenant ? [copyAddress] : []),
    ])
    if (copy) throw new UnfinishedCopy()
    if (!document) return undefined
    const bytes = unwrapKeys(this.#master, document)
    if (bytes) {
      if (tenant === rootTenant) this.#rootVersion = document.version
      return {
        data: { version: firstVersion, key: bytes.subarray(0, keyLength) },
        index: bytes.subarray(keyLength, 2 * keyLength),
        createdUs: document.createdUs,
      }
    }
    if (tenant === rootTenant) {
      throw new WrongMasterKey('the master key is not the one this store was sealed with')
    }
    // If the root's keys open, the master key is right, and this tenant's keys were changed.
    await this.#checkRoot()
    throw new BrokenRecord('tenant', rootTenant, document.id)
  }

  /**
   * Reads the root's keys again.
   * @throws {WrongMasterKey}
   * @throws {StoreUnavailable} if they were opened before, and the master key was rotated since
   */
  async #checkRoot(): Promise<void> {
    try {
      await this.open(rootTenant)
    } catch (error) {
      if (!(error instanceof WrongMasterKey) || this.#rootVersion === undefined) throw error
      this.#failure = 'the master key was rotated: start this server again with the new one'
      throw new StoreUnavailable(this.#failure)
    }
  }
}

/** Wraps the keys of a tenant into a box. */
function wrapKeys(master: SealingKey, address: Digest, bytes: Uint8Array, random: Random): Uint8Array {
  return seal(master, wrapContext(address), bytes, random)
}

/** Returns the keys in a document of kind `tenant`; `undefined` if another master key wrapped them. */
export function unwrapKeys(master: SealingKey, document: StoredDocument): Uint8Array | undefined {
  return open(master, wrapContext(document.id), document.box)
}

/** Wraps the keys of a document under another master key. Returns `undefined` if `from` does not open them. */
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
  if (key.length !== keyLength) throw new RangeError(`the master key must have ${keyLength} bytes`)
  return { version: firstVersion, key }
}

function wrapContext(address: Digest): string {
  return `tenant-keys|${address}`
}

/** The address of a tenant's keys: the bytes of its own id, which is not secret. */
export const addressOf = digestOfUuid
export const tenantAt = uuidOfDigest

/** The address of the marker of a copy that is not finished. No tenant has this UUID. */
export const copyAddress = addressOf('ffffffff-ffff-ffff-ffff-fffffffffffe')
/** The UUIDs of only zeros and of only ones stand for no tenant anywhere (RFC 9562). */
const notTenants: ReadonlySet<Digest> = new Set([
  addressOf(rootTenant),
  addressOf('ffffffff-ffff-ffff-ffff-ffffffffffff'),
  copyAddress,
])

/** True if a document of kind `tenant` holds the keys of a tenant, not those of the root or a marker. */
export function isTenantAddress(address: Digest): boolean {
  return !notTenants.has(address)
}
