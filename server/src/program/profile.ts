import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { didYouMean } from '../base/near-names.ts'
import { OperatorError } from '../base/operator-error.ts'
import { decodeText } from '../base/utf8.ts'
import { type Dialect, isKeepable } from '../contract/dialect.ts'
import { isReserved } from '../egress/reserved-headers.ts'
import { headerPrefix as contractPrefix, logEntityTypes } from '../generated/facts.ts'
import { isHeaderPrefix, isOrigin, isPrivateOrigin, type VaultOptions } from '../vault-options.ts'

/** A profile that cannot be used: one sentence that says why. */
export class ProfileError extends OperatorError {
  override readonly name = 'ProfileError'
}

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
const names = [
  'header_prefix',
  'modules',
  'client',
  'origins',
  'proxy_allow_origins',
  'proxy_map_origins',
  'allow_private_callbacks',
  'dialects',
  'permissions',
  'response_headers',
  'log_entity_types',
]
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
  const { header_prefix: prefix, client } = profile
  if (prefix !== undefined && !(typeof prefix === 'string' && isHeaderPrefix(prefix))) {
    refuse('must have as header_prefix 1 to 32 letters and digits that begin with a letter')
  }
  if (client !== undefined && typeof client !== 'string') refuse('must have as client the path of a file')
  const atFile = (path: string) => (/^\.{1,2}\//.test(path) ? resolve(dirname(file), path) : path)
  const modules = texts(profile.modules, 'modules', 'names and what they stand for', refuse)
  const origins = mapped(profile, 'origins', refuse)
  const proxied = mapped(profile, 'proxy_map_origins', refuse)
  const allowed = list(profile, 'proxy_allow_origins', refuse)
  for (const origin of allowed) {
    if (!isOrigin(origin) || isPrivateOrigin(origin)) {
      refuse(
        `has in proxy_allow_origins ${origin}, which is not a public origin; proxy_map_origins may lead to others`,
      )
    }
  }
  const { allow_private_callbacks: callbacks } = profile
  if (callbacks !== undefined && typeof callbacks !== 'boolean') {
    refuse('must have as allow_private_callbacks true or false')
  }
  const added = Object.entries(modules).map(([name, target]) => `${name}=${atFile(target)}`)
  const formulaModules = [...added, ...(given.formulaModules ?? [])]
  const formulaMapOrigins = { ...origins, ...given.formulaMapOrigins }
  const proxyMapOrigins = { ...proxied, ...given.proxyMapOrigins }
  const proxyAllowOrigins = [...allowed, ...(given.proxyAllowOrigins ?? [])]
  return {
    ...(typeof prefix === 'string' ? { headerPrefix: prefix } : {}),
    ...(typeof client === 'string' ? { formulaClient: resolve(dirname(file), client) } : {}),
    ...given,
    ...(formulaModules.length > 0 ? { formulaModules } : {}),
    ...(Object.keys(formulaMapOrigins).length > 0 ? { formulaMapOrigins } : {}),
    ...(Object.keys(proxyMapOrigins).length > 0 ? { proxyMapOrigins } : {}),
    ...(proxyAllowOrigins.length > 0 ? { proxyAllowOrigins } : {}),
    ...(callbacks === true ? { allowPrivateCallbacks: true } : {}),
    dialect: readDialect(
      profile,
      given.headerPrefix ?? (prefix as string | undefined) ?? contractPrefix,
      refuse,
    ),
  }
}

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

function texts(value: unknown, name: string, what: string, refuse: Refuse): Texts {
  if (value === undefined) return {}
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isMap || !Object.values(value).every(one => typeof one === 'string')) {
    refuse(`must have as ${name} an object of ${what}`)
  }
  return value as Texts
}

function mapped(profile: Members, name: string, refuse: Refuse): Texts {
  const origins = texts(profile[name], name, 'origins such as https://api.example.com', refuse)
  const wrong = Object.entries(origins)
    .flat()
    .find(origin => !isOrigin(origin))
  if (wrong === undefined) return origins
  return refuse(`has in ${name} ${wrong}, which is not an origin such as https://api.example.com`)
}

function list(profile: Members, name: string, refuse: Refuse): readonly string[] {
  const value = profile[name] ?? []
  const isList = Array.isArray(value) && value.every(one => typeof one === 'string')
  return isList ? value : refuse(`must have as ${name} a list of texts`)
}

function readDialect(profile: Members, headerPrefix: string, refuse: Refuse): Dialect {
  const chosen = list(profile, 'dialects', refuse)
  const unknown = chosen.find(one => !dialects.includes(one))
  if (unknown !== undefined) refuse(`has an unknown dialect ${unknown}; there are ${dialects.join(', ')}`)
  const permissions = list(profile, 'permissions', refuse)
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

const mostHeaders = 20

function readHeaders(profile: Members, headerPrefix: string, refuse: Refuse): Texts {
  const headers = texts(
    profile.response_headers,
    'response_headers',
    'names such as x-version and texts',
    refuse,
  )
  const read = Object.entries(headers).map(([given, value]) => {
    const name = given.toLowerCase()
    if (!/^x-[a-z0-9-]{1,100}$/.test(name) || isReserved(name, headerPrefix.toLowerCase())) {
      refuse(`has in response_headers ${given}; a name begins with x-, and is none that others act upon`)
    }
    if (!/^[\x21-\x7e]([\x20-\x7e]{0,198}[\x21-\x7e])?$/.test(value)) {
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
  const types = texts(profile.log_entity_types, 'log_entity_types', what, refuse)
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
