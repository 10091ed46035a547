import { Channel } from '../base/channel.ts'
import { ServiceError } from '../base/errors.ts'
import { formatMicros } from '../base/time/date-time.ts'
import type { ApplicationKey, ApplicationKeyWithSecret, ApplicationWithKey } from '../contract/types.ts'
import { type Receipt, type RecordedEntity, transact } from '../storage/port/transact.ts'
import type { Dated, TenantRecords } from '../storage/records/records.ts'
import { type ApplicationRecord, keyDigests, showApplication } from './application.ts'
import { type ApplicationParts, existing, replacement, storesOf } from './application-changes.ts'
import type { Caller } from './caller.ts'
import {
  insertKey,
  type KeyRecord,
  type KeyStores,
  makeKey,
  publicIdOfKey,
  recordOfKey,
  removeKey,
  storeOfKey,
} from './keys.ts'
import { Room } from './room.ts'

/** Kept of an answer with a key, which cannot be read again. */
export type RecordedKey = RecordedEntity & { readonly details: { readonly key: string } }

interface MadeKey {
  readonly digest: string
  readonly key: string
}

/** The one or two keys of each application. */
export class ApplicationKeys extends Room<ApplicationParts> {
  /** Each key that is made or given, with its digest: the store keeps digests only. */
  readonly made: Channel<MadeKey>

  constructor(parts: ApplicationParts, made = new Channel<MadeKey>()) {
    super(parts)
    this.made = made
  }

  /** @param given the key, where it is not to be a new one */
  make({ root, store }: KeyStores, { id, type }: Pick<ApplicationRecord, 'id' | 'type'>, given?: string) {
    const key = given ?? makeKey(type, this.parts.random, { root, tenant: store.tenant })
    const record = recordOfKey(root, store.tenant, id, key)
    this.made.publish({ digest: record.id, key })
    return { key, record }
  }

  /** Gives the application a new key. The old ones are dead when this resolves. */
  // Requirements: APP-505
  async regenerate(caller: Caller, id: string, receipt?: Receipt<RecordedKey>): Promise<ApplicationWithKey> {
    const stores = await storesOf(this.parts, caller.tenant)
    const { store } = stores
    const { key, record } = this.make(stores, (await existing(store, id)).value)
    const application = await transact(
      store,
      this.parts.clock,
      async () => {
        const current = await existing(store, id)
        const { second_key_digest: _second, ...kept } = current.value
        const value = { ...kept, key_digest: record.id, modified_by: caller.application }
        const keys = [
          ...keyDigests(current.value).map(digest => removeKey(stores, digest)),
          insertKey(stores, record),
        ]
        return {
          ...replacement(this.parts, store, current, value, 'application:regenerate', keys),
          recorded: { entity: id, details: { key } },
        }
      },
      receipt,
    )
    return { ...application, key }
  }

  /**
   * Gives the application a second key.
   * @throws {ServiceError} conflict, if it has two
   */
  // Requirements: APP-512
  async add(caller: Caller, id: string, receipt?: Receipt<RecordedKey>): Promise<ApplicationKeyWithSecret> {
    const stores = await storesOf(this.parts, caller.tenant)
    const { store } = stores
    const { key, record } = this.make(stores, (await existing(store, id)).value)
    return transact(
      store,
      this.parts.clock,
      async () => {
        const current = await existing(store, id)
        if (current.value.second_key_digest !== undefined) {
          throw new ServiceError('conflict', 'the application has two keys; revoke one of them first')
        }
        const added = insertKey(stores, record)
        const value = { ...current.value, second_key_digest: record.id, modified_by: caller.application }
        return {
          ...replacement(this.parts, store, current, value, 'application:add_key', [added]),
          recorded: { entity: id, details: { key } },
          result: written => ({ ...showKey(store, { value: record, ...written(added) }), key }),
        }
      },
      receipt,
    )
  }

  // Requirements: APP-513
  async list(caller: Caller, id: string): Promise<ApplicationKey[]> {
    const stores = await storesOf(this.parts, caller.tenant)
    const { value } = await existing(stores.store, id)
    const records = await Promise.all(
      keyDigests(value).map(digest => storeOfKey(stores, digest).get<KeyRecord>('key', digest)),
    )
    return records.flatMap(record => (record ? [showKey(stores.store, record)] : [])).reverse()
  }

  /**
   * Returns an application with a key that it was given before.
   * @throws {ServiceError} not_found, also if it has another key now
   */
  async getApplication(caller: Caller, id: string, key: string): Promise<ApplicationWithKey> {
    const { root, store } = await storesOf(this.parts, caller.tenant)
    const record = await existing(store, id)
    if (!keyDigests(record.value).includes(recordOfKey(root, caller.tenant, id, key).id)) {
      throw new ServiceError('not_found', 'the application has another key now')
    }
    return { ...showApplication(caller.tenant, record), key }
  }

  /**
   * Returns a key that the application was given before.
   * @throws {ServiceError} not_found, also if it was revoked
   */
  async get(caller: Caller, id: string, key: string): Promise<ApplicationKeyWithSecret> {
    const { root, store } = await storesOf(this.parts, caller.tenant)
    const publicId = publicIdOfKey(store, recordOfKey(root, caller.tenant, id, key).id)
    const found = (await this.list(caller, id)).find(one => one.id === publicId)
    return found ? { ...found, key } : noKey()
  }

  /**
   * Revokes one of two keys. It is dead when this resolves.
   * @throws {ServiceError} not_found; conflict, if it is the only one
   */
  // Requirements: APP-514
  async revoke(caller: Caller, id: string, publicId: string): Promise<void> {
    const stores = await storesOf(this.parts, caller.tenant)
    const { store } = stores
    await transact(store, this.parts.clock, async () => {
      const current = await existing(store, id)
      const digests = keyDigests(current.value)
      const revoked = digests.find(digest => publicIdOfKey(store, digest) === publicId) ?? noKey()
      const [left] = digests.filter(digest => digest !== revoked)
      if (left === undefined) {
        throw new ServiceError(
          'conflict',
          'the application has no other key; regenerate this one, or delete the application',
        )
      }
      const { second_key_digest: _second, ...kept } = current.value
      const value = { ...kept, key_digest: left, modified_by: caller.application }
      return replacement(this.parts, store, current, value, 'application:revoke_key', [
        removeKey(stores, revoked),
      ])
    })
  }
}

function showKey(store: TenantRecords, { value, createdUs }: Dated<KeyRecord>): ApplicationKey {
  const { id, last_four } = value
  return {
    id: publicIdOfKey(store, id),
    ...(last_four === undefined ? {} : { last_four }),
    created_at: formatMicros(createdUs),
  }
}

function noKey(): never {
  throw new ServiceError('not_found', 'the application has no key with this id')
}
