import { entriesOf } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import { offsetOf, type Page, type PageRequest, toPage } from '../base/page.ts'
import type { Random } from '../base/random.ts'
import { readExpiration } from '../base/time/expiration.ts'
import type { Dialect } from '../contract/dialect.ts'
import type {
  Application,
  ApplicationType,
  ApplicationWithKey,
  CreateApplicationRequest,
  UpdateApplicationRequest,
} from '../contract/types.ts'
import type { Write } from '../storage/port/port.ts'
import { type Attempt, type KeptEntity, type Receipt, transact } from '../storage/port/transact.ts'
import type { OpenedRecord, SealedStore, TenantStore } from '../storage/records/sealed.ts'
import { type ApplicationRecord, showApplication } from './application.ts'
import type { Caller } from './caller.ts'
import { makeKey } from './key-text.ts'
import { digestOfKey, insertKey, removeKey } from './keys.ts'
import { checkRights, plainRule } from './rules.ts'
import { removeUsageCount } from './usage-counts.ts'

/** Kept of an answer with a key, which cannot be read again. */
export type KeptKey = KeptEntity & { readonly details: { readonly key: string } }

interface ApplicationQuery extends PageRequest {
  readonly id?: readonly string[]
}

interface ApplicationsContext {
  readonly store: SealedStore
  readonly random: Random
  readonly dialect?: Dialect | undefined
  nowUs(): number
  /** Called with each key and its digest. Of development servers only. */
  readonly onKey?: ((digest: string, key: string) => void) | undefined
  /** Ends the sessions that an application created or authorized. @param actor the application that deleted it */
  endSessionsOf(store: TenantStore, application: string, actor: string): Promise<void>
}

const applicationEntry = entriesOf('application')

export class Applications {
  readonly #context: ApplicationsContext

  constructor(context: ApplicationsContext) {
    this.#context = context
  }

  async create(
    caller: { readonly tenant: string; readonly application: string | null },
    input: CreateApplicationRequest,
    receipt?: Receipt<KeptKey>,
  ): Promise<ApplicationWithKey> {
    const content = this.#content(input.type, input)
    const application = {
      id: this.#context.random.uuid(),
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
    receipt?: Receipt<KeptKey>,
  ): Promise<ApplicationWithKey> {
    const stores = await this.#stores(tenant)
    const { root, store } = stores
    const { id, type, created_by = null } = application
    const key = given ?? makeKey(type, this.#context.random, { root, tenant })
    const digest = digestOfKey(root, tenant, key)
    this.#context.onKey?.(digest, key)
    const value: ApplicationRecord = { ...application, key_digest: digest }
    return transact(
      this.#context,
      async () => {
        const write = store.insert('application', value)
        return {
          writes: [
            write,
            insertKey(stores, { id: digest, tenant, application: id }),
            applicationEntry(this.#context, store, 'application:create', id, created_by),
          ],
          kept: { entity: id, details: { key } },
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
    const { store } = await this.#stores(caller.tenant)
    const nowMs = this.#context.nowUs() / 1000
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
    const { store } = await this.#stores(caller.tenant)
    return showApplication(caller.tenant, await existing(store, id))
  }

  /**
   * Returns an application with a key that it was given before.
   * @throws {ServiceError} not_found, also if it has another key now
   */
  async getWithKey(caller: Caller, id: string, key: string): Promise<ApplicationWithKey> {
    const { root, store } = await this.#stores(caller.tenant)
    const record = await existing(store, id)
    if (record.value.key_digest !== digestOfKey(root, caller.tenant, key)) {
      throw new ServiceError('not_found', 'the application has another key now')
    }
    return { ...showApplication(caller.tenant, record), key }
  }

  // Requirements: APP-503, ACC-541
  async update(
    caller: Caller,
    id: string,
    input: UpdateApplicationRequest,
    receipt?: Receipt<KeptEntity>,
  ): Promise<Application> {
    const { store } = await this.#stores(caller.tenant)
    return transact(
      this.#context,
      async () => {
        const current = await existing(store, id)
        const { expires_at: _at, expires_ms: _ms, ...kept } = current.value
        const value = { ...kept, ...this.#content(kept.type, input), modified_by: caller.application }
        return { ...this.#replacement(store, current, value, 'application:update'), kept: { entity: id } }
      },
      receipt,
    )
  }

  /** Gives the application a new key. The old one is dead when this resolves. */
  // Requirements: APP-505
  async regenerateKey(caller: Caller, id: string, receipt?: Receipt<KeptKey>): Promise<ApplicationWithKey> {
    const { tenant } = caller
    const stores = await this.#stores(tenant)
    const { root, store } = stores
    const { type } = (await existing(store, id)).value
    const key = makeKey(type, this.#context.random, { root, tenant })
    const digest = digestOfKey(root, tenant, key)
    this.#context.onKey?.(digest, key)
    const application = await transact(
      this.#context,
      async () => {
        const current = await existing(store, id)
        const value = { ...current.value, key_digest: digest, modified_by: caller.application }
        const keys = [
          removeKey(stores, current.value.key_digest),
          insertKey(stores, { id: digest, tenant, application: id }),
        ]
        const replacement = this.#replacement(store, current, value, 'application:regenerate', keys)
        return { ...replacement, kept: { entity: id, details: { key } } }
      },
      receipt,
    )
    return { ...application, key }
  }

  // Requirements: APP-504
  async delete(caller: Caller, id: string): Promise<void> {
    const stores = await this.#stores(caller.tenant)
    const { store } = stores
    await transact(this.#context, async () => {
      const current = await existing(store, id)
      const unused = await removeUsageCount(store, 'application', id)
      return {
        writes: [
          store.remove('application', id, current.version),
          ...unused,
          removeKey(stores, current.value.key_digest),
          applicationEntry(this.#context, store, 'application:delete', id, caller.application),
        ],
        result: () => {},
        // Another attempt helps only if the application was changed or a reactor began to use it.
        onConflict: ({ write }) => {
          if (write > unused.length) throw new Error('the key of an application cannot be removed')
        },
      }
    })
    await this.#context.endSessionsOf(store, id, caller.application)
  }

  /** @param others writes that belong to the change */
  #replacement(
    store: TenantStore,
    { version }: OpenedRecord<ApplicationRecord>,
    value: ApplicationRecord & { readonly modified_by: string },
    operation: string,
    others: readonly Write[] = [],
  ): Attempt<Application, never> {
    const write = store.replace('application', version, value)
    return {
      writes: [
        write,
        ...others,
        applicationEntry(this.#context, store, operation, value.id, value.modified_by),
      ],
      result: written => showApplication(store.tenant, { value, ...written(write) }),
      onConflict: conflict => {
        if (conflict.write > 0) throw new Error('the key of an application cannot be changed')
      },
    }
  }

  #content(type: ApplicationType, input: UpdateApplicationRequest) {
    const permissions = input.permissions ?? []
    const rules = (input.rules ?? []).map(plainRule)
    checkRights(type, { permissions, rules }, this.#context.dialect)
    const expires =
      typeof input.expires_at === 'string'
        ? readExpiration(input.expires_at, this.#context.nowUs())
        : undefined
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
