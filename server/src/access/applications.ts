import { auditEntry } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import { offsetOf, type Page, type PageRequest, toPage } from '../base/page.ts'
import type { Random } from '../base/random.ts'
import type { Write, Written } from '../storage/port.ts'
import { refuseRivalReceipt } from '../storage/records/companion.ts'
import { OpenedRecord, type SealedStore, type TenantStore } from '../storage/records/sealed.ts'
import {
  type Application,
  type ApplicationRecord,
  type ApplicationWithKey,
  showApplication,
} from './application.ts'
import type { Caller } from './caller.ts'
import { checkRights } from './check-rights.ts'
import { digestKey, insertKey, makeKey } from './keys.ts'
import type { ApplicationType, Permission } from './permissions.ts'
import { type AccessRule, plainRule } from './rules.ts'
import { endOfUses } from './uses.ts'

export interface ApplicationInput {
  readonly name: string
  readonly permissions?: readonly Permission[] | null
  readonly rules?: readonly AccessRule[] | null
  readonly expires_at?: string | null
}

/** Writes that belong into the commit that gives an application this key. */
export type KeyCompanion = (id: string, key: string) => readonly Write[]

interface ApplicationChange {
  readonly value: ApplicationRecord
  /** What else belongs to the change. */
  readonly also?: readonly Write[]
  /** What others want in the same commit. */
  readonly companion: readonly Write[]
}

export interface ApplicationsContext {
  readonly store: SealedStore
  readonly random: Random
  nowUs(): number
  /** Reads an expiration in any of the accepted spellings. @throws {ServiceError} validation */
  readExpiration(text: string): { readonly echo: string; readonly ms: number }
  /** Ends the sessions that an application created or authorized. @param actor the application that deleted it */
  endSessionsOf(store: TenantStore, application: string, actor: string): Promise<void>
}

export class Applications {
  readonly #context: ApplicationsContext

  constructor(context: ApplicationsContext) {
    this.#context = context
  }

  async create(
    caller: Caller,
    input: ApplicationInput & { readonly type: ApplicationType },
    companion?: KeyCompanion,
  ) {
    const content = this.#content(input.type, input)
    const application = {
      id: this.#context.random.uuid(),
      type: input.type,
      ...content,
      created_by: caller.application,
    }
    return this.insert(caller.tenant, application, undefined, companion)
  }

  /** Stores an application and its key: a given one, or a new one. */
  async insert(
    tenant: string,
    application: Omit<ApplicationRecord, 'key_digest'>,
    key = makeKey(application.type, this.#context.random),
    companion: KeyCompanion = () => [],
  ): Promise<ApplicationWithKey> {
    const { root, store } = await this.#stores(tenant)
    const digest = digestKey(root, key)
    const value: ApplicationRecord = { ...application, key_digest: digest }
    const own = [
      store.insert('application', value),
      insertKey(root, { id: digest, tenant, application: application.id }),
      auditEntry(store, this.#context.random, {
        operation: 'application:create',
        entity_type: 'application',
        entity_id: application.id,
        actor: application.created_by ?? null,
      }),
    ]
    const result = await this.#context.store.commit(
      [...own, ...companion(application.id, key)],
      this.#context.nowUs(),
    )
    if (!result.ok) {
      refuseRivalReceipt(result.conflict, own)
      throw new ServiceError('conflict', 'this application or its key is there already')
    }
    return { ...showApplication(tenant, { value, ...(result.written[0] as Written) }), key }
  }

  async list(caller: Caller, page: PageRequest): Promise<Page<Application>> {
    const { store } = await this.#stores(caller.tenant)
    const nowMs = this.#context.nowUs() / 1000
    const { total, records } = await store.findReadable<ApplicationRecord>(
      'application',
      { op: 'all' },
      { nowMs, offset: offsetOf(page), limit: page.size },
    )
    return toPage(
      records.map(record => showApplication(caller.tenant, record)),
      total,
      page,
    )
  }

  async get(caller: Caller, id: string): Promise<Application> {
    const { store } = await this.#stores(caller.tenant)
    return showApplication(caller.tenant, await existing(store, id))
  }

  /**
   * An application with a key that it was given before. @throws {ServiceError} not_found, also where it has another
   * key by now
   */
  async getWithKey(caller: Caller, id: string, key: string): Promise<ApplicationWithKey> {
    const { root, store } = await this.#stores(caller.tenant)
    const record = await existing(store, id)
    if (record.value.key_digest !== digestKey(root, key)) {
      throw new ServiceError('not_found', 'the application has another key by now')
    }
    return { ...showApplication(caller.tenant, record), key }
  }

  /** @param companion writes that belong into the same commit */
  // Requirements: APP-503
  async update(
    caller: Caller,
    id: string,
    input: ApplicationInput,
    companion: () => readonly Write[] = () => [],
  ): Promise<Application> {
    const updated = await this.#change(caller, id, 'application:update', ({ value }) => {
      const { expires_at: _at, expires_ms: _ms, ...kept } = value
      return {
        value: { ...kept, ...this.#content(kept.type, input), modified_by: caller.application },
        companion: companion(),
      }
    })
    return showApplication(caller.tenant, updated)
  }

  /**
   * A new key for the application; the old one is dead when this resolves.
   */
  // Requirements: APP-505
  async regenerateKey(
    caller: Caller,
    id: string,
    companion: KeyCompanion = () => [],
  ): Promise<ApplicationWithKey> {
    const { root, store } = await this.#stores(caller.tenant)
    const { type } = (await existing(store, id)).value
    const key = makeKey(type, this.#context.random)
    const digest = digestKey(root, key)
    const updated = await this.#change(caller, id, 'application:regenerate', ({ value }) => ({
      value: { ...value, key_digest: digest, modified_by: caller.application },
      also: [
        root.remove('key', value.key_digest),
        insertKey(root, { id: digest, tenant: caller.tenant, application: id }),
      ],
      companion: companion(id, key),
    }))
    return { ...showApplication(caller.tenant, updated), key }
  }

  // Requirements: APP-504
  async delete(caller: Caller, id: string): Promise<void> {
    const { root, store } = await this.#stores(caller.tenant)
    for (;;) {
      const current = await existing(store, id)
      const unused = await endOfUses(store, 'application', id)
      const result = await this.#context.store.commit(
        [
          store.remove('application', id, current.version),
          ...unused,
          root.remove('key', current.value.key_digest),
          auditEntry(store, this.#context.random, {
            operation: 'application:delete',
            entity_type: 'application',
            entity_id: id,
            actor: caller.application,
          }),
        ],
        this.#context.nowUs(),
      )
      if (result.ok) return this.#context.endSessionsOf(store, id, caller.application)
      // Only another writer of the application, or a reactor that began to use it, makes it worth looking again.
      if (result.conflict.write > unused.length)
        throw new Error('the key of an application cannot be removed')
    }
  }

  /** Again from the start where another writer came between, on this server or another. */
  async #change(
    caller: Caller,
    id: string,
    operation: string,
    change: (current: OpenedRecord<ApplicationRecord>) => ApplicationChange,
  ): Promise<OpenedRecord<ApplicationRecord>> {
    const { store } = await this.#stores(caller.tenant)
    for (;;) {
      const current = await existing(store, id)
      const { value, also = [], companion } = change(current)
      const own = [
        store.replace('application', current.version, value),
        ...also,
        auditEntry(store, this.#context.random, {
          operation,
          entity_type: 'application',
          entity_id: id,
          actor: caller.application,
        }),
      ]
      const result = await store.commit([...own, ...companion], this.#context.nowUs())
      if (result.ok) return new OpenedRecord(value, result.written[0] as Written)
      refuseRivalReceipt(result.conflict, own)
      if (result.conflict.write > 0) throw new Error('the key of an application cannot be changed')
    }
  }

  #content(type: ApplicationType, input: ApplicationInput) {
    const permissions = input.permissions ?? []
    const rules = (input.rules ?? []).map(plainRule)
    checkRights(type, { permissions, rules })
    const expires =
      typeof input.expires_at === 'string' ? this.#context.readExpiration(input.expires_at) : undefined
    return {
      name: input.name,
      permissions,
      rules,
      ...(expires ? { expires_at: expires.echo, expires_ms: expires.ms } : {}),
    }
  }

  async #stores(tenant: string) {
    const root = await this.#context.store.root(this.#context.nowUs())
    const store = await this.#context.store.tenant(tenant)
    return { root, store: store ?? notFound() }
  }
}

// Requirements: ERR-512
async function existing(store: TenantStore, id: string): Promise<OpenedRecord<ApplicationRecord>> {
  return (await store.get<ApplicationRecord>('application', id)) ?? notFound()
}

function notFound(): never {
  throw new ServiceError('not_found', 'there is no application with this id')
}
