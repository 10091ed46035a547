import { isDeepStrictEqual } from 'node:util'
import type { ApplicationType, Permission } from '../contract/types.ts'
import { permissionsByType, tokenPermissions } from '../generated/facts.ts'
import { transact } from '../storage/port/transact.ts'
import type { Records, RecordValue, TenantRecords } from '../storage/records/records.ts'
import type { Applications } from './applications.ts'
import type { RoomParts } from './room.ts'
import type { Rights } from './rules.ts'

/** The stored settings of a tenant. */
export interface TenantSettings extends RecordValue {
  readonly id: 'tenant'
  readonly name: string
  /** The operator's own tenant: the home of official formulas. */
  readonly operator: boolean
  /** Signs webhooks: `whsec_` and 24 bytes in base64. */
  readonly webhook_secret: string
}

/** A new tenant with one key of each type. The keys cannot be shown restored. */
export interface NewTenant {
  readonly tenantId: string
  /** Holds `token:create`. */
  readonly publicKey: string
  /** Holds every token permission on `/`, and reveals. */
  readonly privateKey: string
  /** Holds every permission of a management application. */
  readonly managementKey: string
  readonly webhookSecret: string
}

/** The least that is useful to a web page: with `token:update` it could overwrite any token whose id it knows. */
const publicPermissions: readonly Permission[] = ['token:create']

export interface TenantParts extends RoomParts {
  readonly applications: Applications
}

/** Returns the store of a caller's tenant. */
export async function tenantStore(records: Records, tenant: string): Promise<TenantRecords> {
  const store = await records.tenant(tenant)
  if (!store) throw new Error('a caller without a tenant')
  return store
}

export async function readTenant(store: TenantRecords): Promise<TenantSettings | undefined> {
  return (await store.get<TenantSettings>('setting', 'tenant'))?.value
}

/** Changes the given settings of a tenant, and makes the tenant if there is none. */
export async function writeTenant(
  { records, random, clock }: RoomParts,
  tenant: string,
  given: Partial<Omit<TenantSettings, 'id'>>,
): Promise<TenantSettings> {
  const store = await records.createTenant(tenant, clock.nowUs())
  return transact(store, clock, async () => {
    const current = await store.get<TenantSettings>('setting', 'tenant')
    const settings: TenantSettings = {
      name: tenant,
      operator: false,
      webhook_secret: `whsec_${Buffer.from(random.bytes(24)).toString('base64')}`,
      ...current?.value,
      ...given,
      id: 'tenant',
    }
    const result = () => settings
    if (!current) return { writes: [store.insert('setting', settings)], result }
    if (isDeepStrictEqual(current.value, settings)) return { writes: [], result }
    return { writes: [store.replace('setting', current.version, settings)], result }
  })
}

/** Returns the rights of the application of this type in a new tenant. */
export function initialRights(type: ApplicationType): Rights {
  if (type === 'private') {
    return {
      permissions: [],
      rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: tokenPermissions }],
    }
  }
  return { permissions: type === 'public' ? publicPermissions : permissionsByType[type], rules: [] }
}

/** Makes a tenant with three applications, with new keys or those of a tenant to be restored after a reset. */
export async function createTenant(
  parts: TenantParts,
  options: { readonly operator?: boolean | undefined; readonly restored?: NewTenant | undefined } = {},
): Promise<NewTenant> {
  const { restored } = options
  const tenantId = restored?.tenantId ?? parts.random.uuid()
  const settings = await writeTenant(parts, tenantId, {
    operator: options.operator ?? false,
    ...(restored ? { webhook_secret: restored.webhookSecret } : {}),
  })
  const add = async (name: string, type: ApplicationType, key: string | undefined) => {
    const application = { id: parts.random.uuid(), name, type, ...initialRights(type) }
    return (await parts.applications.insert(tenantId, application, key)).key
  }
  return {
    tenantId,
    publicKey: await add('Public', 'public', restored?.publicKey),
    privateKey: await add('Private', 'private', restored?.privateKey),
    managementKey: await add('Management', 'management', restored?.managementKey),
    webhookSecret: settings.webhook_secret,
  }
}

interface DevelopmentRecord extends RecordValue, NewTenant {
  readonly id: 'development'
}

/**
 * Returns the tenant of a development server, and makes it if there is none. Its keys are stored sealed, so that they can
 * be printed at each start. A production server never makes one.
 *
 * @param restored the tenant to make again with the same keys, after the store was emptied
 */
export async function developmentTenant(parts: TenantParts, restored?: NewTenant): Promise<NewTenant> {
  const root = await parts.records.root(parts.clock.nowUs())
  const kept = await readDevelopmentTenant(root)
  if (kept) return kept
  const made = await createTenant(parts, { restored })
  const record: DevelopmentRecord = { id: 'development', ...made }
  const { ok } = await root.commit([root.insert('setting', record)], parts.clock.nowUs())
  // Another server on the same database may have stored its tenant first: then that one counts.
  return ok ? made : ((await readDevelopmentTenant(root)) ?? made)
}

export async function readDevelopmentTenant(root: TenantRecords): Promise<NewTenant | undefined> {
  const kept = await root.get<DevelopmentRecord>('setting', 'development')
  if (!kept) return undefined
  const { id: _id, ...tenant } = kept.value
  return tenant
}
