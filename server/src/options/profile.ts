import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { JsonObject } from '../base/json/json.ts'
import { didYouMean } from '../base/near-names.ts'
import { decodeText } from '../base/utf8.ts'
import { type Dialect, isKeepable } from '../contract/dialect.ts'
import { isReserved } from '../egress/reserved-headers.ts'
import { headerPrefix as contractPrefix, logEntityTypes } from '../generated/facts.ts'
import { ProfileError } from './errors.ts'
import { listOf, textsOf } from './kinds.ts'
import { type Option, options as table } from './table.ts'
import type { VaultOptions } from './vault-options.ts'

type GivenOptions = { readonly [Name in keyof VaultOptions]: VaultOptions[Name] | undefined }
type Members = Readonly<Record<string, unknown>>
type Texts = Readonly<Record<string, string>>

const dialects = [
  'camel-case-members',
  'card-dates-as-text',
  'privacy',
  'problems-as-json',
  'unknown-permissions',
]
const mostHeaders = 20
const valueOfHeader = /^[\x21-\x7e]([\x20-\x7e]{0,198}[\x21-\x7e])?$/

/** The members that make up the dialect, with their JSON Schema. */
const dialectMembers: Readonly<Record<string, JsonObject>> = {
  dialects: {
    type: ['array', 'null'],
    items: { enum: dialects },
    description: 'What is accepted beyond the contract.',
  },
  permissions: {
    type: ['array', 'null'],
    items: { type: 'string', pattern: '^[\\w.:-]{1,100}$' },
    description: 'Permissions of another service that applications keep. They allow nothing.',
  },
  response_headers: {
    type: 'object',
    maxProperties: mostHeaders,
    propertyNames: { pattern: '^[Xx]-[A-Za-z0-9-]{1,100}$' },
    additionalProperties: { type: 'string', pattern: valueOfHeader.source },
    description: 'Headers of all responses.',
  },
  log_entity_types: {
    type: 'object',
    propertyNames: { enum: [...logEntityTypes] },
    additionalProperties: { type: 'string', pattern: '^[\\w.:-]{1,100}$' },
    description: 'Names under which entries of the log show kinds of resources.',
  },
}

/** The members of a profile by name, with their JSON Schema. */
export const profileMembers: Readonly<Record<string, JsonObject>> = {
  ...Object.fromEntries(
    Object.values(table).flatMap(({ profile, schema }) =>
      profile ? [[profile.name, { ...schema, description: profile.description }]] : [],
    ),
  ),
  ...dialectMembers,
}
const names = Object.keys(profileMembers)
/** Editors find the schema of the file by it. */
const schemaName = '$schema'

/**
 * Returns the options with those of the file that `profile` names, which makes code written for another service run. An
 * option that is given counts more than the file; modules and origins are added to those of the file, and private
 * callbacks are allowed if either says so.
 *
 * @throws {ProfileError}
 */
export function withProfile({ profile: file, ...options }: GivenOptions): VaultOptions {
  const given = withoutAbsent(options)
  if (file === undefined) return given
  const refuse: Refuse = refusing(file)
  const profile = readProfile(file, refuse)
  const unknown = Object.keys(profile).find(name => name !== schemaName && !names.includes(name))
  if (unknown !== undefined) refuse(`has an unknown member ${unknown}${didYouMean(unknown, names)}`)
  const read: Record<string, unknown> = { ...given }
  for (const [name, { profile: member, ofProfile, join }] of entries) {
    const value = member && profile[member.name]
    if (value === undefined || !member) continue
    const inProfile = ofProfile?.({ name: member.name, value, file, refuse })
    if (inProfile === undefined) continue
    const other = given[name]
    if (other === undefined) read[name] = inProfile
    else if (join) read[name] = join(inProfile, other)
  }
  const made = read as VaultOptions
  return { ...made, dialect: readDialect(profile, made.headerPrefix ?? contractPrefix, refuse) }
}

/** The table, as if all options had values of one type: each is only given its own. */
const entries = Object.entries(table) as [keyof VaultOptions, Option<unknown>][]

type Refuse = (reason: string) => never

const refusing =
  (file: string): Refuse =>
  reason => {
    throw new ProfileError(`the profile ${file} ${reason}`)
  }

/** Returns a function that returns the line on which a member of the profile stands; 1 is the first. */
export function linesOf(file: string): (path: readonly (string | number)[]) => number {
  const { LineCounter, parseDocument } = createRequire(import.meta.url)('yaml') as typeof import('yaml')
  const lineCounter = new LineCounter()
  const document = parseDocument(decodeText(readFileSync(file), `the profile ${file}`), { lineCounter })
  return path => {
    const { range } = document.getIn(path, true) as { readonly range: readonly [number] }
    return lineCounter.linePos(range[0]).line
  }
}

/** Returns the members of a profile, not checked. @throws {ProfileError} */
export function readProfile(file: string, refuse: Refuse = refusing(file)): Members {
  // Loaded only if there is a profile.
  const { parse: parseYaml } = createRequire(import.meta.url)('yaml') as typeof import('yaml')
  let bytes = new Uint8Array()
  let read: unknown
  try {
    bytes = readFileSync(file)
  } catch {
    refuse('cannot be read')
  }
  const text = decodeText(bytes, `the profile ${file}`)
  try {
    read = parseYaml(text)
  } catch (error) {
    refuse(`is not YAML: ${`${(error as Error).message}`.split('\n')[0]?.replace(/:$/, '')}`)
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    refuse(`must have some of ${names.join(', ')}`)
  return read as Members
}

function readDialect(profile: Members, headerPrefix: string, refuse: Refuse): Dialect {
  const list = (name: string) => listOf({ name, value: profile[name], file: '', refuse })
  const chosen = list('dialects')
  const unknown = chosen.find(one => !dialects.includes(one))
  if (unknown !== undefined) refuse(`has an unknown dialect ${unknown}; there are ${dialects.join(', ')}`)
  const permissions = list('permissions')
  const wrong = permissions.find(one => !isKeepable(one))
  if (wrong !== undefined) refuse(`has in permissions ${wrong}, which is not one like report:read`)
  return {
    cardDatesAsText: chosen.includes('card-dates-as-text'),
    problemsAsJson: chosen.includes('problems-as-json'),
    camelCaseMembers: chosen.includes('camel-case-members'),
    privacy: chosen.includes('privacy'),
    permissions: chosen.includes('unknown-permissions') ? 'all' : permissions,
    responseHeaders: readHeaders(profile, headerPrefix, refuse),
    logEntityTypes: readEntityTypes(profile, refuse),
  }
}

function readHeaders(profile: Members, headerPrefix: string, refuse: Refuse): Texts {
  const member = { name: 'response_headers', value: profile.response_headers, file: '', refuse }
  const headers = textsOf(member, 'names such as x-version and texts')
  const read = Object.entries(headers).map(([given, value]) => {
    const name = given.toLowerCase()
    if (!/^x-[a-z0-9-]{1,100}$/.test(name) || isReserved(name, headerPrefix.toLowerCase())) {
      refuse(`has in response_headers ${given}; a name begins with x-, and is none that others act upon`)
    }
    if (!valueOfHeader.test(value)) {
      refuse(`must have as ${given} of response_headers 1 to 200 printable ASCII characters`)
    }
    return [name, value] as const
  })
  const names = new Set(read.map(([name]) => name))
  if (names.size < read.length) refuse('has a name of response_headers twice')
  if (names.size > mostHeaders) refuse(`must have at most ${mostHeaders} response_headers`)
  return Object.fromEntries(read)
}

/** Two kinds must not have one name, or nobody could ask for one of them. */
function readEntityTypes(profile: Members, refuse: Refuse): Texts {
  const what = `${logEntityTypes.join(', ')} and their names`
  const member = { name: 'log_entity_types', value: profile.log_entity_types, file: '', refuse }
  const types = textsOf(member, what)
  const unknown = Object.keys(types).find(name => !logEntityTypes.some(one => one === name))
  if (unknown !== undefined)
    refuse(`has in log_entity_types ${unknown}; there are ${logEntityTypes.join(', ')}`)
  const shown = logEntityTypes.map(one => types[one] ?? one)
  const wrong = shown.find((name, at) => !isKeepable(name) || shown.indexOf(name) !== at)
  if (wrong !== undefined)
    refuse(`has in log_entity_types ${wrong}, which is not a name, or one of two kinds`)
  return types
}

const withoutAbsent = (options: GivenOptions): VaultOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
