import { isDeepStrictEqual } from 'node:util'
import { type FieldErrors, ServiceError } from '../base/errors.ts'
import { batches } from '../base/flow/batches.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts'
import { memberPath } from '../base/json/member-path.ts'
import { didYouMean } from '../base/near-names.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { Clock } from '../base/time/clock.ts'
import { parseExpiration } from '../base/time/expiration.ts'
import { asInContract, type Dialect } from '../contract/dialect.ts'
import type { ApplicationType } from '../contract/types.ts'
import type { ContractSchemas } from '../contract/validators.ts'
import { addressOf, isTenantAddress } from '../storage/keys/keyring.ts'
import { transact } from '../storage/port/transact.ts'
import type { OpenedRecord, Records, TenantRecords } from '../storage/records/records.ts'
import { type ApplicationRecord, keyDigests } from './application.ts'
import type { Applications } from './applications.ts'
import { holdersOfKey, insertKey, recordOfKey, removeKey } from './keys.ts'
import { checkRights, plainRule, type Rights } from './rules.ts'
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
  readonly formulas?: JsonValue
  readonly reactors?: JsonValue
  readonly tokens?: JsonValue
}

interface BootstrapApplication extends Rights {
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

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const shortestKey = 16

/** The number of attempts to set up one application while other writers interfere. */
const mostRetries = 9

/** New applications that are stored at the same time. An engine writes them to its disk together. */
const storedAtOnce = 100

/** @throws {BootstrapError} */
export function readBootstrap(json: JsonValue, schemas: ContractSchemas, dialect?: Dialect): Bootstrap {
  // Editors find the schema of the file by `$schema`.
  const file = members(json, 'the file', ['tenants', '$schema'])
  const tenants = list(file.tenants, 'tenants').map((value, index) =>
    readTenant(value, `tenants.${index}`, schemas, dialect),
  )
  const applications = tenants.flatMap(tenant => tenant.applications)
  const removed = tenants.flatMap(tenant => tenant.removed.map(id => ({ id })))
  unique(tenants, 'tenants', 'id')
  unique([...applications, ...removed], 'applications', 'id')
  unique(applications, 'applications', 'key')
  return { tenants }
}

const tenantMembers = [
  'id',
  'name',
  'operator',
  'webhook_secret',
  'applications',
  'formulas',
  'reactors',
  'tokens',
]

function readTenant(
  json: JsonValue,
  path: string,
  schemas: ContractSchemas,
  dialect: Dialect | undefined,
): BootstrapTenant {
  const tenant = members(json, path, tenantMembers)
  const { id, name, operator, webhook_secret, applications = [] } = tenant
  expect(typeof id === 'string' && uuid.test(id), `${path}.id`, 'must be a UUID in lower case')
  const isFree = typeof id === 'string' && isTenantAddress(addressOf(id))
  expect(isFree, `${path}.id`, 'must not be the UUID of only zeros or of only ones, which are reserved')
  expect(name === undefined || typeof name === 'string', `${path}.name`, 'must be a text')
  expect(operator === undefined || typeof operator === 'boolean', `${path}.operator`, 'must be true or false')
  expect(
    webhook_secret === undefined || isWebhookSecret(webhook_secret),
    `${path}.webhook_secret`,
    'must be whsec_ and 24 to 64 bytes in base64',
  )
  const read = list(applications, `${path}.applications`).map((value, index) =>
    readApplication(value, `${path}.applications.${index}`, schemas, dialect),
  )
  return {
    ...(tenant as unknown as BootstrapTenant),
    applications: read.filter(one => typeof one !== 'string'),
    removed: read.filter(one => typeof one === 'string'),
  }
}

/** Requires padded base64, as the libraries of receivers do. */
function isWebhookSecret(json: JsonValue): boolean {
  const [, base64 = ''] = (typeof json === 'string' && /^whsec_(.*)$/.exec(json)) || []
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === base64
}

const applicationMembers = ['id', 'name', 'type', 'key', 'permissions', 'rules', 'expires_at', 'removed']

/** Returns only the id of an application that is removed. */

function readApplication(
  json: JsonValue,
  path: string,
  schemas: ContractSchemas,
  dialect: Dialect | undefined,
): BootstrapApplication | string {
  const application = members(json, path, applicationMembers)
  const { id, key, permissions, rules, removed = false, ...rest } = application
  expect(typeof id === 'string' && uuid.test(id), `${path}.id`, 'must be a UUID in lower case')
  expect(typeof removed === 'boolean', `${path}.removed`, 'must be true or false')
  if (removed) return `${id}`
  expect(
    typeof key === 'string' && key.length >= shortestKey && /^[\x21-\x7e]+$/.test(key),
    `${path}.key`,
    `must be at least ${shortestKey} printable characters without spaces`,
  )
  const shape = { ...rest, permissions: permissions ?? [], rules: rules ?? [] }
  refuse(schemas.check('CreateApplicationRequest', dialect ? asInContract(dialect, shape) : shape, path))
  const given = { id, key, ...shape } as unknown as BootstrapApplication
  const expiration = parseExpiration(given.expires_at ?? '')
  const read = {
    ...given,
    rules: given.rules.map(plainRule),
    ...(expiration && { expires_at: expiration.echo, expires_ms: expiration.ms }),
  }
  try {
    checkRights(read.type, read, dialect)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const errors = Object.entries(error.errors ?? {})
    refuse(Object.fromEntries(errors.map(([field, messages]) => [`${path}.${field}`, messages])))
  }
  return read
}

export interface BootstrapParts {
  readonly records: Records
  readonly clock: Pick<Clock, 'nowUs'>
  readonly tenants: Tenants
  readonly applications: Applications
}

/** Sets up what the file names. Idempotent. */
export async function applyBootstrap(parts: BootstrapParts, bootstrap: Bootstrap): Promise<void> {
  const root = await parts.records.root(parts.clock.nowUs())
  for (const one of bootstrap.tenants) {
    const { id: tenant, applications, removed, formulas, reactors, tokens, ...settings } = one
    await parts.tenants.write(tenant, settings as Partial<Omit<TenantSettings, 'id'>>)
    const store = await parts.records.createTenant(tenant, parts.clock.nowUs())
    for (const id of removed) await parts.applications.remove(tenant, id)
    const stored = await store.getMany<ApplicationRecord>(
      'application',
      applications.map(({ id }) => id),
    )
    const added: BootstrapApplication[] = []
    // First, one by one, as another application may take a key that one of these gives up.
    for (const [index, application] of applications.entries()) {
      const found = stored[index]
      if (found) await applyApplication(parts, store, root, application, found)
      else added.push(application)
    }
    for (const some of batches(added, storedAtOnce, () => 1))
      await Promise.all(some.map(application => applyApplication(parts, store, root, application)))
  }
}

/** Refuses a file with a key of an application that it does not name. @throws {BootstrapError} */
export async function refuseTakenKeys(parts: BootstrapParts, { tenants }: Bootstrap): Promise<void> {
  const root = await parts.records.root(parts.clock.nowUs())
  const named = new Set(
    tenants.flatMap(({ applications, removed }) => [...applications.map(({ id }) => id), ...removed]),
  )
  for (const { id, key } of tenants.flatMap(({ applications }) => applications)) {
    const holders = await holdersOfKey(parts.records, root, key)
    refuseHeld(
      id,
      holders.filter(holder => !named.has(holder)),
    )
  }
}

/**
 * Another server may apply the same file at the same time: then the next attempt finds nothing to do.
 * @param found the application as it was just read; absent if it is not stored
 */
async function applyApplication(
  parts: BootstrapParts,
  store: TenantRecords,
  root: TenantRecords,
  { key, ...given }: BootstrapApplication,
  found?: OpenedRecord<ApplicationRecord>,
): Promise<void> {
  const record = recordOfKey(root, store.tenant, given.id, key)
  parts.applications.keys.made.publish({ digest: record.id, key })
  await transact(store, parts.clock, async attempt => {
    const current = attempt === 0 ? found : await store.get<ApplicationRecord>('application', given.id)
    const held = current ? keyDigests(current.value) : []
    const rekeyed = !held.includes(record.id)
    const { second_key_digest: _second, ...kept } = current?.value ?? {}
    const value: ApplicationRecord =
      current && !rekeyed ? { ...current.value, ...given } : { ...kept, ...given, key_digest: record.id }
    if (current && isDeepStrictEqual(current.value, value)) return { writes: [], result: () => {} }
    if (rekeyed) refuseHeld(given.id, await holdersOfKey(parts.records, root, key))
    return {
      writes: [
        current ? store.replace('application', current.version, value) : store.insert('application', value),
        ...(rekeyed
          ? [...held.map(one => removeKey({ root, store }, one)), insertKey({ root, store }, record)]
          : []),
      ],
      result: () => {},
      onConflict: () => {
        if (attempt === mostRetries) refuseHeld(given.id, [undefined])
      },
    }
  })
}

/** @throws {BootstrapError} if one of the holders is another application */
function refuseHeld(application: string, holders: readonly (string | undefined)[]): void {
  if (holders.every(holder => holder === application)) return
  throw new BootstrapError(`the key of application ${application} belongs to another application`)
}

function members(json: JsonValue | undefined, path: string, known: readonly string[]): JsonObject {
  if (!isJsonObject(json)) throw new BootstrapError(`${path} must be an object`)
  const unknown = Object.keys(json).find(name => !known.includes(name))
  if (unknown !== undefined) {
    const shown = memberPath([unknown])
    const near = didYouMean(unknown, known) || `; known are ${known.join(', ')}`
    throw new BootstrapError(`${path} has an unknown member ${shown}${near}`)
  }
  return json
}

export function list(json: JsonValue | undefined, path: string): JsonValue[] {
  if (!Array.isArray(json)) throw new BootstrapError(`${path} must be a list`)
  return json
}

export function expect(holds: boolean, path: string, message: string): void {
  if (!holds) throw new BootstrapError(`${path} ${message}`)
}

export function unique<M extends string>(
  items: readonly { readonly [member in M]: string }[],
  path: string,
  member: M,
): void {
  expect(
    new Set(items.map(item => item[member])).size === items.length,
    path,
    `must each have their own ${member}`,
  )
}

export function refuse(errors: FieldErrors): void {
  const [first] = Object.entries(errors)
  if (first) throw new BootstrapError(`${first[0]} ${first[1][0]}`)
}
