import type { PoolConfig } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { didYouMean } from '../../../base/near-names.ts'
import { BoundClient, type ClosingClient } from './client.ts'
import { DatabaseRefused } from './database-errors.ts'

/** The default maximum of connections per server. */
const defaultConnections = 20
const mostConnections = 500

/** In seconds. */
const longestTimeout = 600

/** The parameters of a URL that the driver or this file reads; all but `pool` are those of libpq. */
const parameters = [
  'host',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'options',
  'application_name',
  'connect_timeout',
  'pool',
  'channel_binding',
]

/** Parameters of libpq that hosts put into their URLs, with the values that say what this server does in any case. */
const settled: Readonly<Record<string, readonly string[]>> = {
  target_session_attrs: ['any', 'read-write', 'primary'],
  gssencmode: ['disable', 'prefer'],
  sslnegotiation: ['postgres'],
  client_encoding: ['UTF8', 'utf8', 'auto'],
  keepalives: ['1'],
}

const valuesOf: Readonly<Record<string, readonly string[]>> = {
  sslmode: ['disable', 'require', 'verify-ca', 'verify-full'],
  channel_binding: ['disable', 'prefer', 'require'],
  ...settled,
}

interface Location extends Omit<PoolConfig, 'Client'> {
  readonly max: number
  readonly Client?: typeof ClosingClient
}

/**
 * Parses a `postgres://` URL for the driver. No message repeats the URL, as it contains a password.
 * @throws {DatabaseRefused}
 */
export function readLocation(url: string): Location {
  if (!URL.canParse(url)) {
    throw new DatabaseRefused(
      'the storage URL is not valid; use postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters percent-encoded',
    )
  }
  const { searchParams, pathname, hash, search, username } = new URL(url)
  // What follows one of these would be taken for something else, and shown.
  if (hash !== '' || (username === '' && search.includes('@'))) {
    throw new DatabaseRefused(
      'the storage URL has a # or ? that ends its address early; in a password write %23 for # and %3F for ?',
    )
  }
  for (const [name, value] of searchParams) refuseUnknown(name, value)
  if (pathname.length < 2)
    throw new DatabaseRefused('the storage URL names no database; use …@HOST:PORT/DATABASE')
  const sslMode = searchParams.get('sslmode')
  const max = readNumber(searchParams, 'pool', 'a number', 2, mostConnections) ?? defaultConnections
  // As in libpq. The driver does not read this parameter.
  const seconds = readNumber(searchParams, 'connect_timeout', 'a number of seconds', 1, longestTimeout)
  const plain = new URL(url)
  const binding = searchParams.get('channel_binding') ?? 'disable'
  if (binding === 'require' && (sslMode ?? 'disable') === 'disable') {
    throw new DatabaseRefused('channel_binding=require in the storage URL needs TLS: add sslmode=require')
  }
  for (const name of ['pool', 'connect_timeout', 'channel_binding', ...Object.keys(settled)])
    plain.searchParams.delete(name)
  // The modes as libpq defines them; the driver's own defaults differ.
  if (sslMode !== null) plain.searchParams.set('uselibpqcompat', 'true')
  return {
    ...readClientConfig(plain.href),
    max,
    ...(seconds && { connectionTimeoutMillis: seconds * 1000 }),
    ...(binding === 'disable' ? {} : { enableChannelBinding: true }),
    ...(binding === 'require' ? { Client: BoundClient } : {}),
  }
}

/** @throws {DatabaseRefused} for a parameter that is unknown, or whose value means nothing here */
function refuseUnknown(name: string, value: string): void {
  const known = [...parameters, ...Object.keys(settled)]
  if (!known.includes(name)) {
    // What does not look like a name may be a part of a password.
    const shown = /^[a-z_]{1,40}$/.test(name) ? ` ${name}` : ''
    const near = didYouMean(name, known) || `; known are ${known.join(', ')}`
    throw new DatabaseRefused(`the storage URL has an unknown parameter${shown}${near}`)
  }
  const values = valuesOf[name]
  if (values?.includes(value) === false)
    throw new DatabaseRefused(`${name} in the storage URL must be one of ${values.join(', ')}`)
}

function readNumber(from: URLSearchParams, name: string, form: string, least: number, most: number) {
  const text = from.get(name)
  if (text === null) return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new DatabaseRefused(`${name} in the storage URL must be ${form} from ${least} to ${most}`)
}

function readClientConfig(url: string): Omit<PoolConfig, 'Client'> {
  try {
    return parseIntoClientConfig(url) as PoolConfig
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ENOENT' || code === 'EACCES') {
      throw new DatabaseRefused('a certificate or key file that the storage URL names cannot be read')
    }
    throw new DatabaseRefused('the parameters of the storage URL are not valid')
  }
}
