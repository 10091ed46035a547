import { ServiceError } from '../base/errors.ts'
import { offsetOf, type Page, type PageRequest, toPage } from '../base/page.ts'
import { readExpiration } from '../base/time/expiration.ts'
import type {
  Application,
  ApplicationType,
  ApplicationWithKey,
  CreateApplicationRequest,
  UpdateApplicationRequest,
} from '../contract/types.ts'
import type { Write } from '../storage/port/port.ts'
import { type Receipt, type RecordedEntity, transact } from '../storage/port/transact.ts'
import type { Records } from '../storage/records/records.ts'
import { type ApplicationRecord, keyDigests, showApplication } from './application.ts'
import {
  type ApplicationParts,
  applicationEntry,
  existing,
  replacement,
  storesOf,
} from './application-changes.ts'
import { ApplicationKeys, type RecordedKey } from './application-keys.ts'
import type { Caller } from './caller.ts'
import { insertKey, type KeyStores, removeKey } from './keys.ts'
import { Room } from './room.ts'
import { checkRights, plainRule } from './rules.ts'
import { removeUsageCount } from './usage-counts.ts'

interface ApplicationQuery extends PageRequest {
  readonly id?: readonly string[]
}

export class Applications extends Room<ApplicationParts> {
  readonly keys: ApplicationKeys

  constructor(parts: ApplicationParts, made?: ApplicationKeys['made']) {
    super(parts)
    this.keys = new ApplicationKeys(parts, made)
  }

  /** Returns the same room on other records. */
  on(records: Records): Applications {
    return new Applications({ ...this.parts, records }, this.keys.made)
  }

  async create(
    caller: { readonly tenant: string; readonly application: string | null },
    input: CreateApplicationRequest,
    receipt?: Receipt<RecordedKey>,
  ): Promise<ApplicationWithKey> {
    const content = this.#content(input.type, input)
    const application = {
      id: this.parts.random.uuid(),
      type: input.type,
      ...content,
      ...(caller.application === null ? {} : { created_by: caller.application }),
    }
    return this.insert(caller.tenant, application, undefined, receipt)
  }

  /** Stores an application with the given key, or a new one. */
  async insert(
    tenant: string,
    application: Omit<ApplicationRecord, 'key_digest'>,
    given?: string,
    receipt?: Receipt<RecordedKey>,
  ): Promise<ApplicationWithKey> {
    const stores = await storesOf(this.parts, tenant)
    const { store } = stores
    const { id, created_by = null } = application
    const { key, record } = this.keys.make(stores, application, given)
    const value: ApplicationRecord = { ...application, key_digest: record.id }
    return transact(
      store,
      this.parts.clock,
      async () => {
        const write = store.insert('application', value)
        return {
          writes: [
            write,
            insertKey(stores, record),
            applicationEntry(this.parts, store, 'application:create', id, created_by),
          ],
          recorded: { entity: id, details: { key } },
          result: written => ({ ...showApplication(tenant, { value, ...written(write) }), key }),
          onConflict: () => {
            throw new ServiceError('conflict', 'an application with this id or key exists already')
          },
        }
      },
      receipt,
    )
  }

  async list(caller: Caller, page: ApplicationQuery): Promise<Page<Application>> {
    const { store } = await storesOf(this.parts, caller.tenant)
    const nowMs = this.parts.clock.nowUs() / 1000
    const { total, records } = await store.findReadable<ApplicationRecord>(
      'application',
      store.among('application', page.id),
      { nowMs, offset: offsetOf(page), limit: page.size },
    )
    return toPage(
      records.map(record => showApplication(caller.tenant, record)),
      total,
      page,
    )
  }

  async get(caller: Caller, id: string): Promise<Application> {
    const { store } = await storesOf(this.parts, caller.tenant)
    return showApplication(caller.tenant, await existing(store, id))
  }

  // Requirements: APP-503, ACC-541
  async update(
    caller: Caller,
    id: string,
    input: UpdateApplicationRequest,
    receipt?: Receipt<RecordedEntity>,
  ): Promise<Application> {
    const { store } = await storesOf(this.parts, caller.tenant)
    return transact(
      store,
      this.parts.clock,
      async () => {
        const current = await existing(store, id)
        const { expires_at: _at, expires_ms: _ms, ...kept } = current.value
        const value = { ...kept, ...this.#content(kept.type, input), modified_by: caller.application }
        return {
          ...replacement(this.parts, store, current, value, 'application:update'),
          recorded: { entity: id },
        }
      },
      receipt,
    )
  }

  // Requirements: APP-504
  async delete({ tenant, application }: Caller, id: string): Promise<void> {
    const stores = await storesOf(this.parts, tenant)
    const unused = () => removeUsageCount(stores.store, 'application', id)
    await this.#delete(stores, id, application, unused)
    await this.parts.sessions.endOf(stores.store, id, application)
  }

  /** Deletes an application for the operator, if it is there, also if a reactor uses it. That one then cannot act. */
  async remove(tenant: string, id: string): Promise<void> {
    const stores = await storesOf(this.parts, tenant)
    const { store } = stores
    if (await store.get('application', id)) await this.#delete(stores, id, null, async () => [])
    // Also if an earlier attempt was interrupted here.
    await this.parts.sessions.endOf(store, id, null)
  }

  /** @param conditions makes writes whose conditions must hold */
  async #delete(
    stores: KeyStores,
    id: string,
    actor: string | null,
    conditions: () => Promise<Write[]>,
  ): Promise<void> {
    const { store } = stores
    await transact(store, this.parts.clock, async () => {
      const current = await existing(store, id)
      const unused = await conditions()
      return {
        writes: [
          store.remove('application', id, current.version),
          ...unused,
          ...keyDigests(current.value).map(digest => removeKey(stores, digest)),
          applicationEntry(this.parts, store, 'application:delete', id, actor),
        ],
        result: () => {},
        // Another attempt helps only if the application was changed or a reactor began to use it.
        onConflict: ({ write }) => {
          if (write > unused.length) throw new Error('the key of an application cannot be removed')
        },
      }
    })
  }

  #content(type: ApplicationType, input: UpdateApplicationRequest) {
    const permissions = input.permissions ?? []
    const rules = (input.rules ?? []).map(plainRule)
    checkRights(type, { permissions, rules }, this.parts.dialect)
    const expires =
      typeof input.expires_at === 'string'
        ? readExpiration(input.expires_at, this.parts.clock.nowUs())
        : undefined
    return {
      name: input.name,
      permissions,
      rules,
      ...(expires ? { expires_at: expires.echo, expires_ms: expires.ms } : {}),
    }
  }
}
