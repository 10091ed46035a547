import { isIP } from 'node:net'
import { dirname, resolve } from 'node:path'
import type { JsonObject } from '../base/json/json.ts'
import { isPublicAddress, literalAddress } from '../egress/addresses.ts'
import { ConfigError } from './errors.ts'

type Texts = Readonly<Record<string, string>>
/** The value of a flag or variable: the texts of a list, or one text, or true. */
export type FlagValue = string | boolean | readonly string[] | undefined

/** A member of a profile that is read. */
interface ProfileMember {
  readonly name: string
  readonly value: unknown
  /** The path of the profile. */
  readonly file: string
  /** @throws {ProfileError} */
  readonly refuse: (reason: string) => never
}

/** How the values of an option are checked, and read from flags and profiles. */
export interface Kind<Value> {
  /** True for a value that `createVault` takes. */
  readonly accepts: (value: unknown) => boolean
  /** Describes such a value, to follow "must be". */
  readonly expected: string
  /** @throws {ConfigError} */
  readonly ofFlag?: (given: FlagValue, flag: string) => Value | undefined
  /** JSON Schema of such a value in a profile. */
  readonly schema?: JsonObject
  /** Returns the value of a member that is there. @throws {ProfileError} */
  readonly ofProfile?: (member: ProfileMember) => Value | undefined
  /** Joins the value of a profile and the one that is given, which otherwise counts more. */
  readonly join?: (inProfile: Value, given: Value) => Value
}

function isHeaderPrefix(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9]{0,31}$/.test(text)
}

/** True for an origin such as `https://app.example.com`, without a path. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

/** True for an origin that is a private address, or names this machine. */
function isPrivateOrigin(origin: string): boolean {
  const url = new URL(origin)
  const address = literalAddress(url)
  return address === undefined ? /(^|\.)localhost\.?$/.test(url.hostname) : !isPublicAddress(address)
}

export const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isList = (value: unknown, accepts: (item: string) => boolean) =>
  Array.isArray(value) && value.every(item => typeof item === 'string' && accepts(item))

const originSchema = { type: 'string', pattern: '^(https?|wss?|ftp)://[^\\s/?#@\\\\A-Z]+$' }
const textsOfFlag = (given: FlagValue) => (given ?? []) as readonly string[]

export const text: Kind<string> = {
  accepts: value => typeof value === 'string',
  expected: 'a string',
  ofFlag: given => given as string | undefined,
}

/** The path of a file; in a profile, from the folder of the profile. */
export const path: Kind<string> = {
  ...text,
  schema: { type: 'string' },
  ofProfile: ({ name, value, file, refuse }) =>
    typeof value === 'string'
      ? resolve(dirname(file), value)
      : refuse(`must have as ${name} the path of a file`),
}

export const boolean: Kind<boolean> = {
  accepts: value => typeof value === 'boolean',
  expected: 'true or false',
  ofFlag: given => given === true,
  schema: { type: 'boolean' },
  ofProfile: ({ name, value, refuse }) => {
    if (typeof value !== 'boolean') refuse(`must have as ${name} true or false`)
    return value === true ? value : undefined
  },
  join: (inProfile, given) => inProfile || given,
}

const prefixForm = '1 to 32 letters and digits'
export const headerPrefixKind: Kind<string> = {
  accepts: value => typeof value === 'string' && isHeaderPrefix(value),
  expected: `${prefixForm} and begin with a letter`,
  ofFlag: (given, flag) => {
    if (typeof given === 'string' && isHeaderPrefix(given)) return given
    throw new ConfigError(`${flag} must be ${prefixForm} and begin with a letter`)
  },
  schema: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9]{0,31}$' },
  ofProfile: ({ name, value, refuse }) =>
    typeof value === 'string' && isHeaderPrefix(value)
      ? value
      : refuse(`must have as ${name} ${prefixForm} that begin with a letter`),
}

const tokenForm = '16 to 200 printable characters without spaces'
const isToken = (value: unknown) => typeof value === 'string' && /^[\x21-\x7e]{16,200}$/.test(value)
export const token: Kind<string> = {
  accepts: isToken,
  expected: tokenForm,
  ofFlag: (given, flag) => {
    if (given !== undefined && !isToken(given)) throw new ConfigError(`${flag} must be ${tokenForm}`)
    return given as string | undefined
  },
}

export const days: Kind<number> = {
  accepts: value => Number.isSafeInteger(value) && Number(value) >= 1,
  expected: 'a whole number of days, 1 or more',
  ofFlag: (given, flag) => {
    if (/^\d{1,6}$/.test(`${given}`) && Number(given) >= 1) return Number(given)
    throw new ConfigError(`${flag} must be a whole number of days from 1 to 999999`)
  },
}

/** True for an address, or a network in the notation of CIDR that is not all addresses. */
function isNetwork(text: string): boolean {
  const [, address = '', bits = '1'] = /^([\da-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  return isIP(address) !== 0 && Number(bits) >= 1 && Number(bits) <= (isIP(address) === 4 ? 32 : 128)
}

export const networks: Kind<readonly string[]> = {
  accepts: value => isList(value, isNetwork),
  expected: 'a list of addresses, or of networks such as 10.0.0.0/8',
  ofFlag: (given, flag) => {
    const read = textsOfFlag(given)
    if (read.every(isNetwork)) return read
    throw new ConfigError(`${flag} must be an address, or a network such as 10.0.0.0/8`)
  },
}

/** Origins that browsers call from: a list, or `undefined` for the default. */
export const browserOrigins: Kind<readonly string[]> = {
  accepts: value => isList(value, item => item === '*' || isOrigin(item)),
  expected: 'a list of origins such as https://app.example.com, or of *',
  ofFlag: given =>
    given === undefined ? undefined : textsOfFlag(given).map(one => (one === '*' ? one : readOrigin(one))),
}

export const origins: Kind<readonly string[]> = {
  accepts: value => isList(value, isOrigin),
  expected: 'a list of origins such as https://api.example.com',
  ofFlag: given => textsOfFlag(given).map(readOrigin),
}

const isPublicOrigin = (text: string) => isOrigin(text) && !isPrivateOrigin(text)

/** @param map the member of the profile that takes other origins, by its name as an option, a flag and a member */
export const publicOrigins = (map: {
  option: string
  flag: string
  member: string
}): Kind<readonly string[]> => ({
  accepts: value => isList(value, isPublicOrigin),
  expected: `a list of origins such as https://api.example.com, none of a private address: use ${map.option} for those`,
  ofFlag: (given, flag) =>
    textsOfFlag(given).map(one => {
      const origin = readOrigin(one)
      if (!isPrivateOrigin(origin)) return origin
      throw new ConfigError(
        `${flag} takes public origins; reach ${origin} by ${map.flag} https://api.example.com=${origin}`,
      )
    }),
  schema: { type: ['array', 'null'], items: originSchema },
  ofProfile: member => {
    const read = listOf(member)
    const wrong = read.find(one => !isPublicOrigin(one))
    if (wrong === undefined) return read.length > 0 ? read : undefined
    return member.refuse(
      `has in ${member.name} ${wrong}, which is not a public origin; ${map.member} may lead to others`,
    )
  },
  join: (inProfile, given) => [...inProfile, ...given],
})

export const originMap: Kind<Texts> = {
  accepts: value => isRecord(value) && Object.entries(value).flat().every(isOrigin),
  expected: 'an object of origins such as { "https://api.example.com": "http://localhost:9000" }',
  ofFlag: (given, flag) => readMappedOrigins(flag, textsOfFlag(given)),
  schema: { type: 'object', propertyNames: originSchema, additionalProperties: originSchema },
  ofProfile: member => {
    const read = textsOf(member, 'origins such as https://api.example.com')
    const all = Object.entries(read).flat()
    const wrong = all.find(one => !isOrigin(one))
    if (wrong === undefined) return all.length > 0 ? read : undefined
    return member.refuse(
      `has in ${member.name} ${wrong}, which is not an origin such as https://api.example.com`,
    )
  },
  join: (inProfile, given) => ({ ...inProfile, ...given }),
}

/** Names of packages, each with `=` and the file or package that it stands for, or without. */
export const modules: Kind<readonly string[]> = {
  accepts: value => isList(value, () => true),
  expected: 'a list of strings',
  ofFlag: given => textsOfFlag(given),
  schema: { type: 'object', additionalProperties: { type: 'string' } },
  ofProfile: member => {
    const read = Object.entries(textsOf(member, 'names and what they stand for'))
    const targetOf = (one: string) => (/^\.{1,2}\//.test(one) ? resolve(dirname(member.file), one) : one)
    return read.length > 0 ? read.map(([name, target]) => `${name}=${targetOf(target)}`) : undefined
  },
  join: (inProfile, given) => [...inProfile, ...given],
}

/** Returns an object of texts. @throws {ProfileError} */
export function textsOf({ name, value, refuse }: ProfileMember, what: string): Texts {
  if (value === undefined) return {}
  if (!isRecord(value) || !Object.values(value).every(one => typeof one === 'string')) {
    refuse(`must have as ${name} an object of ${what}`)
  }
  return value as Texts
}

/** Returns a list of texts. @throws {ProfileError} */
export function listOf({ name, value, refuse }: ProfileMember): readonly string[] {
  const given = value ?? []
  return isList(given, () => true) ? (given as string[]) : refuse(`must have as ${name} a list of texts`)
}

function readOrigin(text: string): string {
  if (!isOrigin(text)) {
    throw new ConfigError(
      `${text} is not an origin; an origin looks like https://app.example.com, without a path`,
    )
  }
  return text
}

function readMappedOrigins(flag: string, texts: readonly string[]): Texts {
  const pairs = texts.map(text => {
    const [from = '', to, ...more] = text.split('=')
    if (to === undefined || more.length > 0) {
      throw new ConfigError(
        `${flag} takes two origins, such as https://api.example.com=http://localhost:9000, not ${text}`,
      )
    }
    return [readOrigin(from), readOrigin(to)] as const
  })
  const twice = pairs.find(([from], index) => pairs.findIndex(([other]) => other === from) !== index)
  if (twice) throw new ConfigError(`${flag} maps ${twice[0]} twice`)
  return Object.fromEntries(pairs)
}
