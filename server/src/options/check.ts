import { isIP } from 'node:net'
import { isJsonObject, type JsonObject } from '../base/json/json.ts'
import { isOrigin, isOriginPattern } from '../base/origins.ts'
import { createAjv, type SchemaError } from '../contract/ajv.ts'
import { isKeepable } from '../contract/dialect.ts'
import { keyLength } from '../crypto/envelope.ts'
import { isPublicAddress, literalAddress } from '../egress/addresses.ts'

const isOfHttp = (text: string) => /^https?:/.test(text)

/** True for an origin that is a private address, or names this machine. */
function isPrivateOrigin(origin: string): boolean {
  const url = new URL(origin)
  const address = literalAddress(url)
  return address === undefined ? /(^|\.)localhost\.?$/.test(url.hostname) : !isPublicAddress(address)
}

/** True for an address, or a network in the notation of CIDR that is not all addresses. */
function isNetwork(text: string): boolean {
  const [, address = '', bits = '1'] = /^([\da-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  return isIP(address) !== 0 && Number(bits) >= 1 && Number(bits) <= (isIP(address) === 4 ? 32 : 128)
}

/** Formats of texts that are no secrets: messages show what does not have them. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  network: isNetwork,
  permission: isKeepable,
  'origin-of-pages': text => text === '*' || isOriginPattern(text),
  'origin-of-service': text => isOfHttp(text) && isOrigin(text),
  'origins-of-service': text => isOfHttp(text) && isOriginPattern(text),
  'public-origins': text => isOfHttp(text) && isOriginPattern(text) && !isPrivateOrigin(text),
}

/** The values of the keyword `x-is`. */
const is: Readonly<Record<string, (value: unknown) => boolean>> = {
  key: value => ArrayBuffer.isView(value) && value.byteLength === keyLength,
  function: value => typeof value === 'function',
  log: value =>
    isRecord(value) && ['info', 'warn', 'error'].every(level => typeof value[level] === 'function'),
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** True for a value that only has to have a type, and has it. ajv takes 5 ms until its first validator. */
function isPlain({ type, 'x-is': named, 'x-expected': _, ...rules }: JsonObject, value: unknown): boolean {
  if (typeof named === 'string') return is[named]?.(value) ?? false
  return typeof value === type && Object.keys(rules).length === 0
}

let ajv: ReturnType<typeof createAjv> | undefined

/**
 * Returns what is wrong with a value; `undefined` if nothing is. `x-expected` of the schema says what would be right.
 *
 * @param name of the value where it was given, such as `corsOrigins` or `--cors-origin`
 */
export function faultOf(name: string, schema: JsonObject, value: unknown): string | undefined {
  if (isPlain(schema, value)) return undefined
  ajv ??= createAjv({ thorough: true, formats })
  const validate = ajv.compile(schema)
  if (!('x-is' in schema) && validate(value)) return undefined
  const shown = culpritOf(validate.errors ?? [])
  return `${name} must be ${schema['x-expected']}${shown === undefined ? '' : `; ${JSON.stringify(shown)} is not one`}`
}

/** Returns the text that is wrong, unless it may be secret, or the name of the member that holds it. */
function culpritOf(errors: readonly SchemaError[]): string | undefined {
  const plain = errors.find(({ keyword }) => keyword === 'format' || keyword === 'enum')
  const [{ propertyName, instancePath } = { instancePath: '' }] = errors
  const shown = plain ? (plain.propertyName ?? plain.data) : (propertyName ?? instancePath.split('/')[1])
  // What stands before an @ may be a password.
  return typeof shown === 'string' && !/@|^\d+$/.test(shown) ? shown : undefined
}

/** Returns the schema of the items of a list. */
export const itemsOf = ({ items }: JsonObject): JsonObject => (isJsonObject(items) ? items : {})
