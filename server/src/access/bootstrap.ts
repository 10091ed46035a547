import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../base/json/json.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { Clock } from '../base/time/clock.ts'
import type { ApplicationType } from '../contract/types.ts'
import type { Write } from '../storage/port/port.ts'
import type { Records, TenantRecords } from '../storage/records/records.ts'
import { type ApplicationRecord, keyDigests } from './application.ts'
import type { Applications } from './applications.ts'
import { holdersOfKey, insertKey, recordOfKey, removeKey } from './keys.ts'
import type { Rights } from './rules.ts'
import type { TenantSettings } from './tenant-settings.ts'
import type { Tenants } from './tenants.ts'

/** The file that a deployment is set up from: what it names is set to its contents, everything else stays. */
export interface Bootstrap {
  readonly tenants: readonly BootstrapTenant[]
}

export interface BootstrapTenant {
  readonly id: string
  readonly name?: string
  readonly operator?: boolean
  readonly webhook_secret?: string
  readonly applications: readonly BootstrapApplication[]
  /** Ids of applications that are not to be there any more. */
  readonly removed: readonly string[]
  /** Data of the tenant, which `assembly/fixtures.ts` checks and applies. */
  readonly formulas?: readonly JsonObject[] | null
  readonly reactors?: readonly JsonObject[] | null
  readonly tokens?: readonly JsonObject[] | null
}

export interface BootstrapApplication extends Rights {
  readonly id: string
  readonly name: string
  readonly type: ApplicationType
  readonly key: string
  readonly expires_at?: string
  readonly expires_ms?: number
}

/** A bootstrap file that cannot be used: one sentence that says where. */
export class BootstrapError extends OperatorError {
  override readonly name = 'BootstrapError'
}

export interface BootstrapParts {
  /** Staged ones: some states in between are not valid. */
  readonly records: Records
  readonly clock: Pick<Clock, 'nowUs'>
  readonly tenants: Tenants
  readonly applications: Applications
}

/** Thrown where another writer has come between: another attempt may succeed. */
export class Overtaken extends Error {}

/** Sets up what the file names. Idempotent. @throws {BootstrapError | Overtaken} */
export async function applyBootstrap(parts: BootstrapParts, { tenants }: Bootstrap): Promise<void> {
  const { records, clock } = parts
  const root = await records.root(clock.nowUs())
  const named: (readonly [TenantRecords, BootstrapApplication])[] = []
  for (const one of tenants) {
    const { id: tenant, applications, removed, formulas, reactors, tokens, ...settings } = one
    await parts.tenants.write(tenant, settings as Partial<Omit<TenantSettings, 'id'>>)
    const store = await records.createTenant(tenant, clock.nowUs())
    for (const id of removed) await parts.applications.remove(tenant, id)
    named.push(...applications.map(application => [store, application] as const))
  }
  // First, as another application of the file may take a key.
  for (const [store, application] of named) await giveUpKeys(parts, store, root, application)
  for (const [store, application] of named) await setApplication(parts, store, root, application)
}

/** Takes the keys from an application whose key is not in the file. */
async function giveUpKeys(
  { records, clock }: BootstrapParts,
  store: TenantRecords,
  root: TenantRecords,
  { id, key }: BootstrapApplication,
): Promise<void> {
  const found = await store.get<ApplicationRecord>('application', id)
  const held = found ? keyDigests(found.value) : []
  if (held.includes(recordOfKey(root, store.tenant, id, key).id)) return
  const removals = held.map(digest => removeKey({ root, store }, digest))
  if (!(await records.commit(removals, clock.nowUs())).ok) throw new Overtaken()
}

/** @throws {BootstrapError} if another application has the key */
async function setApplication(
  { records, clock, applications }: BootstrapParts,
  store: TenantRecords,
  root: TenantRecords,
  { key, ...given }: BootstrapApplication,
): Promise<void> {
  const record = recordOfKey(root, store.tenant, given.id, key)
  applications.keys.made.publish({ digest: record.id, key })
  const current = await store.get<ApplicationRecord>('application', given.id)
  const isHeld = current ? keyDigests(current.value).includes(record.id) : false
  const { second_key_digest: _second, ...kept } = current?.value ?? {}
  const value: ApplicationRecord =
    current && isHeld ? { ...current.value, ...given } : { ...kept, ...given, key_digest: record.id }
  if (current && isDeepStrictEqual(current.value, value)) return
  const holders = isHeld ? [] : await holdersOfKey(records, root, key)
  // One that is this application was given the key by another server meanwhile.
  if (holders.some(({ tenant, application }) => tenant !== store.tenant || application !== given.id)) {
    throw new BootstrapError(`the key of application ${given.id} belongs to another application`)
  }
  const writes: Write[] = [
    current ? store.replace('application', current.version, value) : store.insert('application', value),
    ...(isHeld ? [] : [insertKey({ root, store }, record)]),
  ]
  if (!(await records.commit(writes, clock.nowUs())).ok) throw new Overtaken()
}
