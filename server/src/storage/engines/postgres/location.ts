import type { PoolConfig } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { DatabaseRefused } from './refused.ts'

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
  const max = readPool(searchParams.get('pool'))
  const timeout = readTimeout(searchParams.get('connect_timeout'))
  const plain = new URL(url)
  plain.searchParams.delete('pool')
  plain.searchParams.delete('connect_timeout')
  // The modes as libpq defines them; the driver's own defaults differ.
  if (sslMode !== null) plain.searchParams.set('uselibpqcompat', 'true')
  return { ...readClientConfig(plain.href), max, ...timeout }
}

/** Names the database of a URL for messages, without user, password and parameters. */
export function nameOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${pathname.slice(1)} at ${hostname || 'localhost'}:${port || 5432}`
}

function readPool(text: string | null): number {
  if (text === null) return defaultConnections
  const max = Number(text)
  if (/^\d+$/.test(text) && max >= 2 && max <= mostConnections) return max
  throw new DatabaseRefused(`pool in the storage URL must be a number from 2 to ${mostConnections}`)
}

/** In seconds, as in libpq. The driver does not read this parameter. */
function readTimeout(text: string | null): Pick<PoolConfig, 'connectionTimeoutMillis'> {
  if (text === null) return {}
  const seconds = Number(text)
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= longestTimeout) {
    return { connectionTimeoutMillis: seconds * 1000 }
  }
  throw new DatabaseRefused(
    `connect_timeout in the storage URL must be a number of seconds from 1 to ${longestTimeout}`,
  )
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
