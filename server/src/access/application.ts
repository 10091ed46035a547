import { entriesOf } from '../audit/entries.ts'
import { ServiceError } from '../base/errors.ts'
import type { Random } from '../base/random.ts'
import { formatMicros } from '../base/time/date-time.ts'
import type { Dialect } from '../contract/dialect.ts'
import type { AccessRule, Application, ApplicationType, Permission } from '../contract/types.ts'
import type { Write } from '../storage/port/port.ts'
import type { Attempt } from '../storage/port/transact.ts'
import type { Dated, OpenedRecord, SealedStore, TenantStore } from '../storage/records/sealed.ts'
import type { KeyStores } from './keys.ts'

/** A stored application. */
export interface ApplicationRecord {
  readonly id: string
  readonly name: string
  readonly type: ApplicationType
  readonly permissions: readonly Permission[]
  readonly rules: readonly AccessRule[]
  readonly key_digest: string
  /** Of the newer key, where there are two. */
  readonly second_key_digest?: string
  readonly expires_at?: string
  readonly expires_ms?: number
  readonly created_by?: string
  readonly modified_by?: string
}

/** Returns the digests of the application's keys, the older one first. */
export function keyDigests({ key_digest, second_key_digest }: ApplicationRecord): string[] {
  return second_key_digest === undefined ? [key_digest] : [key_digest, second_key_digest]
}

/** True if the application has expired, and with it its keys. */
// Requirements: APP-509
export function isApplicationOver({ expires_ms }: ApplicationRecord, nowUs: number): boolean {
  return expires_ms !== undefined && expires_ms * 1000 <= nowUs
}

// Requirements: APP-501, AUT-020, WIR-544
export function showApplication(tenant: string, record: Dated<ApplicationRecord>): Application {
  const { key_digest: _digest, second_key_digest: _second, expires_ms: _ms, ...shown } = record.value
  return {
    ...shown,
    tenant_id: tenant,
    created_at: formatMicros(record.createdUs),
    ...(record.modifiedUs === undefined ? {} : { modified_at: formatMicros(record.modifiedUs) }),
  }
}

export interface ApplicationsContext {
  readonly store: SealedStore
  readonly random: Random
  readonly dialect?: Dialect | undefined
  nowUs(): number
  /** Called with each key and its digest. Of development servers only. */
  readonly onKey?: ((digest: string, key: string) => void) | undefined
  /** Ends the sessions that an application created or authorized. @param actor the application that deleted it, if one did */
  endSessionsOf(store: TenantStore, application: string, actor: string | null): Promise<void>
}

export const applicationEntry = entriesOf('application')

/** @throws {ServiceError} not_found */
export async function storesOf(context: ApplicationsContext, tenant: string): Promise<KeyStores> {
  const root = await context.store.root(context.nowUs())
  const store = await context.store.tenant(tenant)
  return { root, store: store ?? notFound() }
}

/** @throws {ServiceError} not_found */
// Requirements: ERR-512
export async function existing(store: TenantStore, id: string): Promise<OpenedRecord<ApplicationRecord>> {
  return (await store.get<ApplicationRecord>('application', id)) ?? notFound()
}

/** Returns the attempt to replace an application. @param others writes that belong to the change */
export function replacement(
  context: ApplicationsContext,
  store: TenantStore,
  { version }: OpenedRecord<ApplicationRecord>,
  value: ApplicationRecord & { readonly modified_by: string },
  operation: string,
  others: readonly Write[] = [],
): Attempt<Application, never> {
  const write = store.replace('application', version, value)
  return {
    writes: [write, ...others, applicationEntry(context, store, operation, value.id, value.modified_by)],
    result: written => showApplication(store.tenant, { value, ...written(write) }),
    onConflict: conflict => {
      if (conflict.write > 0) throw new Error('the key of an application cannot be changed')
    },
  }
}

function notFound(): never {
  throw new ServiceError('not_found', 'there is no application with this id')
}
