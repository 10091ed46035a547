import type { JsonObject } from '../base/json/json.ts'
import { logLevels } from '../base/log.ts'
import { keyLength } from '../crypto/envelope.ts'

/** JSON Schemas of the values of options. `x-expected` describes a value that is accepted, to follow "must be". */

export const text: JsonObject = { type: 'string', 'x-expected': 'a string' }

export const path: JsonObject = { type: 'string', 'x-expected': 'the path of a file' }

/** Node would listen on every address of the machine if it got an empty text. */
export const host: JsonObject = {
  type: 'string',
  pattern: '\\S',
  'x-expected': 'an address; use 0.0.0.0 for all addresses',
}

export const boolean: JsonObject = { type: 'boolean', 'x-expected': 'true or false' }

export const headerPrefix: JsonObject = {
  type: 'string',
  pattern: '^[A-Za-z][A-Za-z0-9]{0,31}$',
  'x-expected': '1 to 32 letters and digits that begin with a letter',
}

export const token: JsonObject = {
  type: 'string',
  pattern: '^[\\x21-\\x7e]{16,200}$',
  'x-expected': '16 to 200 printable characters without spaces',
}

export const logLevel: JsonObject = { enum: [...logLevels], 'x-expected': logLevels.join(', ') }

/** A whole number. @param unit such as " of days" */
export const whole = (minimum: number, maximum: number, unit = ''): JsonObject => ({
  type: 'integer',
  minimum,
  maximum,
  'x-expected': `a whole number${unit} from ${minimum} to ${maximum}`,
})

/** A list. @param item describes one of its texts, and `items` several of them */
const listOf = (format: string, item: string, items: string, more: JsonObject = {}): JsonObject => ({
  type: 'array',
  items: { type: 'string', format, ...more, 'x-expected': item },
  'x-expected': `a list of ${items}`,
})

export const networks = listOf(
  'network',
  'an address, or a network such as 10.0.0.0/8',
  'addresses, or of networks such as 10.0.0.0/8',
)

export const pages = listOf(
  'origin-of-pages',
  'an origin such as https://app.example.com or https://*.example.com, without a path, or *',
  'origins such as https://app.example.com or https://*.example.com, or of *',
)

/** For editors, which know no formats of ours. */
const ofService = { pattern: '^https?://[^\\s/?#@\\\\A-Z*]+$' }
const ofServices = { pattern: '^https?://(\\*\\.)?[^\\s/?#@\\\\A-Z*]+$' }
const services = 'such as https://api.example.com or https://*.example.com'

export const origins = listOf(
  'origins-of-service',
  `an origin ${services}, without a path`,
  `origins ${services}`,
  ofServices,
)

/** @param map where other origins may be given, as an option, a flag and a member of a profile */
export const publicOrigins = (map: string): JsonObject => {
  const others = `not of a private address; ${map} may lead to those`
  return listOf(
    'public-origins',
    `a public origin ${services}, without a path, and ${others}`,
    `public origins ${services}, ${others}`,
    ofServices,
  )
}

export const originMap: JsonObject = {
  type: 'object',
  propertyNames: { type: 'string', format: 'origins-of-service', ...ofServices },
  additionalProperties: { type: 'string', format: 'origin-of-service', ...ofService },
  'x-expected':
    'an object of origins such as { "https://api.example.com": "http://localhost:9000" }, without paths',
}

/** Names of packages, each with `=` and the file or package that it stands for, or without. */
export const modules: JsonObject = {
  type: 'array',
  items: { type: 'string' },
  'x-expected': 'a list of strings',
}

/** What JSON cannot hold is told apart by `x-is`, a keyword of ours. */
export const masterKey: JsonObject = {
  'x-is': 'key',
  'x-expected': `a Uint8Array of ${keyLength} bytes`,
}

export const log: JsonObject = {
  'x-is': 'log',
  'x-expected': 'an object with the functions info, warn and error',
}

export const now: JsonObject = {
  'x-is': 'function',
  'x-expected': 'a function that returns epoch milliseconds',
}
