import type { Caller } from '../access/caller.ts'
import { tenantStore } from '../access/tenants.ts'
import { ServiceError } from '../base/errors.ts'
import type { Page } from '../base/page.ts'
import { formatMicros } from '../base/time/date-time.ts'
import type { ProxyConfiguration, ProxyTransform, StoredProxy } from '../contract/types.ts'
import { listNamed, type NamedQuery } from '../reactors/list.ts'
import type { ReactorsContext } from '../reactors/reactors-context.ts'
import type { Dated, OpenedRecord, RecordValue, TenantStore } from '../storage/records/sealed.ts'

/** Used by the verbs on stored proxies. */
export interface ProxiesContext extends ReactorsContext {
  /** @throws {EgressError} policy, if the operator has not allowed the origin */
  checkTarget(url: URL): void
}

/** A stored proxy. */
export interface ProxyRecord extends RecordValue {
  readonly name: string
  readonly destination_url: string
  readonly request_transform?: ProxyTransform
  readonly response_transform?: ProxyTransform
  readonly configuration: ProxyConfiguration
  /** Its id. */
  readonly application?: string
  readonly require_auth: boolean
  readonly key_digest: string
  readonly created_by: string
  readonly modified_by?: string
}

/** @throws {ServiceError} not_found */
export async function existingProxy(store: TenantStore, id: string): Promise<OpenedRecord<ProxyRecord>> {
  const record = await store.get<ProxyRecord>('proxy', id.toLowerCase())
  if (record) return record
  throw new ServiceError('not_found', 'there is no proxy with this id')
}

/** @throws {ServiceError} not_found */
export async function readProxy(context: ReactorsContext, caller: Caller, id: string): Promise<StoredProxy> {
  const store = await tenantStore(context, caller.tenant)
  return showProxy(store, await existingProxy(store, id))
}

/** Lists the tenant's proxies, newest first. */
export async function listProxies(
  context: ReactorsContext,
  caller: Caller,
  query: NamedQuery,
): Promise<Page<StoredProxy>> {
  const store = await tenantStore(context, caller.tenant)
  return listNamed<ProxyRecord, StoredProxy>(context, store, 'proxy', query, async record =>
    showProxy(store, record),
  )
}

/** Shows a proxy without its key, and of its application the id alone, as the caller may not read applications. */
// Requirements: PRX-501
export function showProxy({ tenant }: TenantStore, record: Dated<ProxyRecord>): StoredProxy {
  const { key_digest: _digest, application: id, ...shown } = record.value
  return {
    ...shown,
    tenant_id: tenant,
    ...(id === undefined ? {} : { application: { id } }),
    created_at: formatMicros(record.createdUs),
    ...(record.modifiedUs === undefined ? {} : { modified_at: formatMicros(record.modifiedUs) }),
  }
}
