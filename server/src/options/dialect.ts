import type { JsonObject } from '../base/json/json.ts'
import type { Dialect } from '../contract/dialect.ts'
import { isReserved } from '../egress/reserved-headers.ts'
import { logEntityTypes } from '../generated/facts.ts'

type Texts = Readonly<Record<string, string>>
/** The members of a profile. */
export type Members = Readonly<Record<string, unknown>>
/** Throws for a profile that cannot be used. @throws {ProfileError} */
export type Refuse = (reason: string) => never

const dialects = [
  'camel-case-members',
  'card-dates-as-text',
  'privacy',
  'problems-as-json',
  'unknown-permissions',
]
const mostHeaders = 20
const keepable = '^[\\w.:-]{1,100}$'

/** The members that make up the dialect, with their JSON Schema. */
export const dialectMembers: Readonly<Record<string, JsonObject>> = {
  dialects: {
    type: 'array',
    items: { enum: dialects },
    'x-expected': `a list of ${dialects.join(', ')}`,
    description: 'What is accepted beyond the contract.',
  },
  permissions: {
    type: 'array',
    items: { type: 'string', pattern: keepable, format: 'permission' },
    'x-expected': 'a list of permissions like report:read',
    description: 'Permissions of another service that applications keep. They allow nothing.',
  },
  response_headers: {
    type: 'object',
    maxProperties: mostHeaders,
    propertyNames: { type: 'string', pattern: '^[Xx]-[A-Za-z0-9-]{1,100}$' },
    additionalProperties: { type: 'string', pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]{0,198}[\\x21-\\x7e])?$' },
    'x-expected': `up to ${mostHeaders} names such as x-version, which begin with x-, each with 1 to 200 printable ASCII characters`,
    description: 'Headers of all responses.',
  },
  log_entity_types: {
    type: 'object',
    propertyNames: { enum: [...logEntityTypes] },
    additionalProperties: { type: 'string', pattern: keepable },
    'x-expected': `an object of names such as vault-token, for ${logEntityTypes.join(', ')}`,
    description: 'Names under which entries of the log show kinds of resources.',
  },
}

/** Returns the dialect of a profile whose members fit their schemas. @throws {ProfileError} */
export function readDialect(profile: Members, headerPrefix: string, refuse: Refuse): Dialect {
  const chosen = (profile.dialects ?? []) as readonly string[]
  const permissions = (profile.permissions ?? []) as readonly string[]
  return {
    cardDatesAsText: chosen.includes('card-dates-as-text'),
    problemsAsJson: chosen.includes('problems-as-json'),
    camelCaseMembers: chosen.includes('camel-case-members'),
    privacy: chosen.includes('privacy'),
    permissions: chosen.includes('unknown-permissions') ? 'all' : permissions,
    responseHeaders: readHeaders((profile.response_headers ?? {}) as Texts, headerPrefix, refuse),
    logEntityTypes: readEntityTypes((profile.log_entity_types ?? {}) as Texts, refuse),
  }
}

function readHeaders(headers: Texts, headerPrefix: string, refuse: Refuse): Texts {
  const read = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const reserved = read.find(([name]) => isReserved(name, headerPrefix.toLowerCase()))
  if (reserved) refuse(`has in response_headers ${reserved[0]}, which others act upon`)
  if (new Set(read.map(([name]) => name)).size < read.length) refuse('has a name of response_headers twice')
  return Object.fromEntries(read)
}

/** Two kinds must not have one name, or nobody could ask for one of them. */
function readEntityTypes(types: Texts, refuse: Refuse): Texts {
  const shown = logEntityTypes.map(one => types[one] ?? one)
  const twice = shown.find((name, at) => shown.indexOf(name) !== at)
  if (twice !== undefined) refuse(`has in log_entity_types ${twice}, which is the name of two kinds`)
  return types
}
