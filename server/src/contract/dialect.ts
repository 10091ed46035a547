import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts'
import { permissionsByType } from '../generated/facts.ts'
import { privacyAsContainer } from './privacy.ts'

/** What a server accepts beyond the contract, by the operator's profile. */
export interface Dialect {
  /** The month and year of a card may be texts of digits. They are stored and answered as numbers. */
  readonly cardDatesAsText: boolean
  /** Problem documents have the content type `application/json`, the only one that some generated clients decode. */
  readonly problemsAsJson: boolean
  /** Members of requests may be in camelCase, and are answered so. */
  readonly camelCaseMembers: boolean
  /** Tokens have a member `privacy`, which names their container. */
  readonly privacy: boolean
  /** The names under which entries of the log show kinds of resources, by ours. */
  readonly logEntityTypes: Readonly<Record<string, string>>
  /** Headers of all responses. Names are in lower case. */
  readonly responseHeaders: Readonly<Record<string, string>>
  /** Permissions of other services that applications keep. They allow nothing. */
  readonly permissions: readonly string[] | 'all'
}

const known: ReadonlySet<string> = new Set(Object.values(permissionsByType).flat())

/** True for a name that a permission could have. */
export const isKeepable = (name: string): boolean => /^[\w.:-]{1,100}$/.test(name)

/** True for a permission that is not ours and that the profile keeps. */
export function isInDialect({ permissions }: Pick<Dialect, 'permissions'>, permission: unknown): boolean {
  if (typeof permission !== 'string' || known.has(permission) || !isKeepable(permission)) return false
  return permissions === 'all' || permissions.includes(permission)
}

/** Returns a copy of an application, of a reactor that shows one, or of a page of them, in which permissions that are only kept are one of ours. */
export function asInContract(dialect: Dialect, value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(item => asInContract(dialect, item))
  if (!isJsonObject(value)) return value
  const { permissions, rules, data, application } = value
  const own = Array.isArray(permissions)
    ? { permissions: permissions.map(one => (isInDialect(dialect, one) ? 'token:read' : one)) }
    : {}
  return {
    ...value,
    ...own,
    ...(Array.isArray(rules) ? { rules: asInContract(dialect, rules) } : {}),
    ...(Array.isArray(data) ? { data: asInContract(dialect, data) } : {}),
    ...(isJsonObject(application) ? { application: asInContract(dialect, application) } : {}),
  }
}

const dates = ['expiration_month', 'expiration_year']

/** Returns the data of a card with its month and year as numbers. */
export function numericDates(data: JsonValue): JsonValue {
  if (!isJsonObject(data) || !dates.some(name => typeof data[name] === 'string')) return data
  const copy: JsonObject = { ...data }
  for (const name of dates) {
    const text = copy[name]
    if (typeof text === 'string' && /^\d{1,4}$/.test(text)) copy[name] = Number(text)
  }
  return copy
}

/**
 * Returns the description of a token in the terms of the contract.
 *
 * @param path of the description in the request
 * @throws {ServiceError} validation, for a `privacy` that has no meaning
 */
export function describedInContract(dialect: Dialect, value: JsonValue, path = ''): JsonValue {
  const described = dialect.privacy ? privacyAsContainer(value, path) : value
  return dialect.cardDatesAsText ? numericCard(described) : described
}

function numericCard(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || value.type !== 'card' || value.data === undefined) return value
  return { ...value, data: numericDates(value.data) }
}
