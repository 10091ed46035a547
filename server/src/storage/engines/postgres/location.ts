import type { PoolConfig } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { DatabaseRefused } from './database-errors.ts'

/** The default maximum of connections per server. */
const defaultConnections = 20
const mostConnections = 500

/** In seconds. */
const longestTimeout = 600

/** The parameters of a URL; all but `pool` are those of libpq. */
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
]

const sslModes = ['disable', 'require', 'verify-ca', 'verify-full']

/**
 * Parses a `postgres://` URL for the driver. No message repeats the URL, as it contains a password.
 * @throws {DatabaseRefused}
 */
export function readLocation(url: string): PoolConfig & { readonly max: number } {
  if (!URL.canParse(url)) {
    throw new DatabaseRefused(
      'the storage URL is not valid; use postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters percent-encoded',
    )
  }
  const { searchParams, pathname } = new URL(url)
  for (const name of searchParams.keys()) {
    if (!parameters.includes(name)) {
      throw new DatabaseRefused(
        `the storage URL has an unknown parameter; known are ${parameters.join(', ')}`,
      )
    }
  }
  if (pathname.length < 2)
    throw new DatabaseRefused('the storage URL names no database; use …@HOST:PORT/DATABASE')
  const sslMode = searchParams.get('sslmode')
  if (sslMode !== null && !sslModes.includes(sslMode)) {
    throw new DatabaseRefused(`sslmode in the storage URL must be one of ${sslModes.join(', ')}`)
  }
  const max = readNumber(searchParams, 'pool', 'a number', 2, mostConnections) ?? defaultConnections
  // As in libpq. The driver does not read this parameter.
  const seconds = readNumber(searchParams, 'connect_timeout', 'a number of seconds', 1, longestTimeout)
  const plain = new URL(url)
  plain.searchParams.delete('pool')
  plain.searchParams.delete('connect_timeout')
  // The modes as libpq defines them; the driver's own defaults differ.
  if (sslMode !== null) plain.searchParams.set('uselibpqcompat', 'true')
  return { ...readClientConfig(plain.href), max, ...(seconds && { connectionTimeoutMillis: seconds * 1000 }) }
}

function readNumber(from: URLSearchParams, name: string, form: string, least: number, most: number) {
  const text = from.get(name)
  if (text === null) return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new DatabaseRefused(`${name} in the storage URL must be ${form} from ${least} to ${most}`)
}

function readClientConfig(url: string): PoolConfig {
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
