import { entriesOf } from '../audit/entries.ts'
import { formatMicros } from '../base/time/date-time.ts'
import type {
  ApplicationType,
  Permission,
  PermissionDescription,
  Tenant,
  UpdateTenantRequest,
} from '../contract/types.ts'
import { permissionDescriptions, permissions, permissionsByType } from '../generated/facts.ts'
import { type Receipt, type RecordedEntity, transact } from '../storage/port/transact.ts'
import type { Dated, OpenedRecord, TenantRecords } from '../storage/records/records.ts'
import type { RoomParts, Scope } from './room.ts'
import type { TenantSettings } from './tenant-settings.ts'

const tenantEntry = entriesOf('tenant')

/** Returns the caller's tenant. */
// Requirements: APP-542
export async function readOwnTenant({ store }: Scope<RoomParts>): Promise<Tenant> {
  return show(store.tenant, await settingsOf(store))
}

/** Replaces the name of the caller's tenant. */
// Requirements: APP-541
export async function renameOwnTenant(
  { parts, store, caller: { tenant, application } }: Scope<RoomParts>,
  { name }: UpdateTenantRequest,
  receipt?: Receipt<RecordedEntity>,
): Promise<Tenant> {
  return transact(
    store,
    parts.clock,
    async () => {
      const current = await settingsOf(store)
      const value: TenantSettings = { ...current.value, name }
      const write = store.replace('setting', current.version, value)
      return {
        writes: [write, tenantEntry(parts, store, 'tenant:update', tenant, application)],
        recorded: { entity: tenant },
        result: written => show(tenant, { value, ...written(write) }),
      }
    },
    receipt,
  )
}

async function settingsOf(store: TenantRecords): Promise<OpenedRecord<TenantSettings>> {
  const settings = await store.get<TenantSettings>('setting', 'tenant')
  if (!settings) throw new Error('a tenant without settings')
  return settings
}

/** Without the operator's settings and the webhook secret. */
function show(id: string, { value, createdUs, modifiedUs }: Dated<TenantSettings>): Tenant {
  return {
    id,
    name: value.name,
    created_at: formatMicros(createdUs),
    ...(modifiedUs === undefined ? {} : { modified_at: formatMicros(modifiedUs) }),
  }
}

const holders = Object.entries(permissionsByType) as readonly [ApplicationType, readonly Permission[]][]

/** Returns all permissions, with the types of application that may hold them. */
// Requirements: APP-543
export function describePermissions(): PermissionDescription[] {
  return permissions.map(type => ({
    type,
    description: permissionDescriptions[type],
    application_types: holders.filter(([, held]) => held.includes(type)).map(([kind]) => kind),
  }))
}
