import { auditEntry } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import { offsetOf, type Page, type PageRequest, toPage } from '../base/page.ts'
import type { Random } from '../base/random.ts'
import type { Write } from '../storage/port.ts'
import type { SealedRecord, SealedStore, TenantStore } from '../storage/sealed.ts'
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

export type CreateCompanion = (answer: Omit<ApplicationWithKey, 'created_at'>) => readonly Write[]

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

  /** @param companion writes that belong into the same commit, made from the answer without its time */
  async create(
    caller: Caller,
    input: ApplicationInput & { readonly type: ApplicationType },
    companion?: CreateCompanion,
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
    companion: CreateCompanion = () => [],
  ): Promise<ApplicationWithKey> {
    const { root, store } = await this.#stores(tenant)
    const digest = digestKey(root, key)
    const value: ApplicationRecord = { ...application, key_digest: digest }
    const shown = (createdUs: number) => ({
      ...showApplication(tenant, { value, version: 1, createdUs }),
      key,
    })
    const { created_at: _unknown, ...answer } = shown(0)
    const result = await this.#context.store.commit(
      [
        store.insert('application', value),
        insertKey(root, { id: digest, tenant, application: application.id }),
        auditEntry(store, this.#context.random, {
          operation: 'application:create',
          entity_type: 'application',
          entity_id: application.id,
          actor: application.created_by ?? null,
        }),
        ...companion(answer),
      ],
      this.#context.nowUs(),
    )
    if (!result.ok)
      throw new ServiceError('conflict', 'this application, its key or this request is there already')
    return shown(result.written[0]?.createdUs ?? 0)
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

  async find(caller: Caller, id: string): Promise<Application | undefined> {
    const { store } = await this.#stores(caller.tenant)
    const record = await store.get<ApplicationRecord>('application', id)
    return record && showApplication(caller.tenant, record)
  }

  // Requirements: APP-503
  async update(caller: Caller, id: string, input: ApplicationInput): Promise<Application> {
    const { store } = await this.#stores(caller.tenant)
    await existing(store, id)
    const updated = await store.update<ApplicationRecord>(
      'application',
      id,
      this.#context.nowUs(),
      current => {
        const { expires_at: _at, expires_ms: _ms, ...kept } = current.value
        return {
          value: { ...kept, ...this.#content(kept.type, input), modified_by: caller.application },
          also: [
            auditEntry(store, this.#context.random, {
              operation: 'application:update',
              entity_type: 'application',
              entity_id: id,
              actor: caller.application,
            }),
          ],
        }
      },
    )
    return showApplication(caller.tenant, updated ?? notFound())
  }

  /** A new key for the application; the old one is dead when this resolves. */
  // Requirements: APP-505
  async regenerateKey(caller: Caller, id: string): Promise<ApplicationWithKey> {
    const { root, store } = await this.#stores(caller.tenant)
    const { type } = (await existing(store, id)).value
    const key = makeKey(type, this.#context.random)
    const digest = digestKey(root, key)
    const updated = await store.update<ApplicationRecord>(
      'application',
      id,
      this.#context.nowUs(),
      current => ({
        value: { ...current.value, key_digest: digest, modified_by: caller.application },
        also: [
          root.remove('key', current.value.key_digest),
          insertKey(root, { id: digest, tenant: caller.tenant, application: id }),
          auditEntry(store, this.#context.random, {
            operation: 'application:regenerate',
            entity_type: 'application',
            entity_id: id,
            actor: caller.application,
          }),
        ],
      }),
    )
    return { ...showApplication(caller.tenant, updated ?? notFound()), key }
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
async function existing(store: TenantStore, id: string): Promise<SealedRecord<ApplicationRecord>> {
  return (await store.get<ApplicationRecord>('application', id)) ?? notFound()
}

function notFound(): never {
  throw new ServiceError('not_found', 'there is no application with this id')
}
