import { readFileSync } from 'node:fs'
import {
  type Bootstrap,
  type BootstrapApplication,
  BootstrapError,
  type BootstrapTenant,
} from '../access/bootstrap.ts'
import { checkRights, plainRule } from '../access/rules.ts'
import { type FieldErrors, ServiceError } from '../base/errors.ts'
import { isJsonObject, type JsonValue } from '../base/json/json.ts'
import { parseExpiration } from '../base/time/expiration.ts'
import { type Check, createAjv } from '../contract/ajv.ts'
import { asInContract, type Dialect } from '../contract/dialect.ts'
import { listErrors } from '../contract/field-errors.ts'
import { generatedFiles } from '../generated-files.ts'

/**
 * Returns the content of a bootstrap file, checked by its schema and by the rules between its parts.
 * @throws {BootstrapError}
 */
export function readBootstrap(json: JsonValue, dialect?: Dialect): Bootstrap {
  check(dialect ? withKnownPermissions(json, dialect) : json)
  const { tenants: given } = json as unknown as { readonly tenants: readonly GivenTenant[] }
  const tenants = given.map(({ applications = [], ...tenant }, at): BootstrapTenant => {
    const isRemoved = ({ removed }: GivenApplication) => removed === true
    return {
      ...tenant,
      applications: applications.flatMap((one, index) =>
        isRemoved(one) ? [] : [readApplication(one, `tenants.${at}.applications.${index}`, dialect)],
      ),
      removed: applications.filter(isRemoved).map(({ id }) => id),
    }
  })
  const applications = tenants.flatMap(tenant => tenant.applications)
  const removed = tenants.flatMap(tenant => tenant.removed.map(id => ({ id })))
  unique(tenants, 'tenants', 'id')
  unique([...applications, ...removed], 'applications', 'id')
  unique(applications, 'applications', 'key')
  return { tenants }
}

type GivenApplication = BootstrapApplication & { readonly removed?: boolean }
type GivenTenant = Omit<BootstrapTenant, 'applications' | 'removed'> & {
  readonly applications?: readonly GivenApplication[]
}

let validate: Check | undefined

/** @throws {BootstrapError} */
function check(json: JsonValue): void {
  validate ??= createAjv({ thorough: false, verbose: true }).compile(
    JSON.parse(readFileSync(new URL('bootstrap.schema.json', generatedFiles), 'utf8')),
  )
  if (!validate(json)) refuse(listErrors(validate.errors ?? [], '').toErrors())
}

/** Returns the file with permissions of the contract in the place of those that the profile keeps. */
function withKnownPermissions(json: JsonValue, dialect: Dialect): JsonValue {
  if (!isJsonObject(json) || !Array.isArray(json.tenants)) return json
  const known = (value: JsonValue) => asInContract(dialect, value)
  const tenants = json.tenants.map(tenant =>
    isJsonObject(tenant) && Array.isArray(tenant.applications)
      ? { ...tenant, applications: known(tenant.applications) }
      : tenant,
  )
  return { ...json, tenants }
}

function readApplication(
  { removed: _removed, permissions, rules, ...given }: GivenApplication,
  path: string,
  dialect: Dialect | undefined,
): BootstrapApplication {
  const expiration = parseExpiration(given.expires_at ?? '')
  const read = {
    ...given,
    permissions: permissions ?? [],
    rules: (rules ?? []).map(plainRule),
    ...(expiration && { expires_at: expiration.echo, expires_ms: expiration.ms }),
  }
  try {
    checkRights(read.type, read, dialect)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    refuse(error.errors ?? {}, path)
  }
  return read
}

/** @throws {BootstrapError} */
export function unique<M extends string>(
  items: readonly { readonly [member in M]: string }[],
  path: string,
  member: M,
): void {
  const values = new Set(items.map(item => item[member]))
  if (values.size < items.length) throw new BootstrapError(`${path} must each have their own ${member}`)
}

/** Refuses the first of these errors. @param path of what they are about @throws {BootstrapError} */
export function refuse(errors: FieldErrors, path?: string): void {
  const [first] = Object.entries(errors)
  if (!first) return
  const [member, [message]] = first
  throw new BootstrapError(
    `${path === undefined ? '' : `${path}.`}${member === 'body' ? 'the file' : member} ${message}`,
  )
}
