import type { JsonObject, JsonValue } from '../../src/base/json.ts'
import { cardNumber } from '../cards.ts'

/** The period in which the tokens were created. */
export const spanMs = 730 * 24 * 3_600_000

/** Returns a pseudo-random number that depends on the token only. */
function mix(n: number, salt: number): number {
  let hash = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) >>> 0
}

export interface BenchToken {
  readonly body: JsonObject
  /** Its search terms, as a database without our rules would index them. */
  readonly terms: readonly string[]
}

const languages = 20

/** Returns the n-th token: of four types, in a thousand nested containers, with common and rare metadata. */
export function tokenAt(n: number, count: number): BenchToken {
  const place = mix(n, 1)
  const [first, second] = [containerOf(place % 1000), containerOf(mix(n, 2) % 1000)]
  const containers = n % 50 === 0 && first !== second ? [first, second] : [first]
  const region = mix(n, 3) % 10
  const metadata: Record<string, string> = {
    source: 'bench',
    region: region < 6 ? 'eu' : region < 9 ? 'us' : 'ap',
    tier: mix(n, 4) % 2 ? 'gold' : 'plain',
    lang: `l${mix(n, 5) % languages}`,
    customer: customerOf(mix(n, 6), count),
  }
  const { type, data, patterns, indexes } = contentAt(n)
  return {
    body: { type, data, containers, metadata, ...(indexes ? { search_indexes: indexes } : {}) },
    terms: [
      ...new Set([
        `type:${type}`,
        ...containers.map(path => `container:${path}`),
        ...containers.flatMap(path => ancestors(path).map(ancestor => `under:${ancestor}`)),
        ...Object.entries(metadata).map(([key, value]) => `metadata.${key}:${value}`),
        ...patterns.map(pattern => `data:${pattern}`),
      ]),
    ],
  }
}

interface TokenContent {
  readonly type: string
  readonly data: JsonValue
  readonly patterns: readonly string[]
  readonly indexes?: string[]
}

function contentAt(n: number): TokenContent {
  const digits = String(n).padStart(9, '0')
  const sort = n % 10
  if (sort < 6) {
    const email = emailOf(n)
    return {
      type: 'token',
      data: { email, note: 'n'.repeat(100 + (mix(n, 7) % 200)) },
      patterns: [email],
      indexes: ['{{ data.email }}'],
    }
  }
  if (sort < 8) return { type: 'social_security_number', data: digits, patterns: [digits, digits.slice(-4)] }
  if (sort === 8) return { type: 'card_number', data: cardNumber(n), patterns: [] }
  return { type: 'bank', data: { routing_number: '110000000', account_number: digits }, patterns: [] }
}

export const emailOf = (n: number) => `user${n}@example.org`
/** Each customer has about eight tokens, however many there are. */
export const customerOf = (hash: number, count: number) => `c-${hash % Math.max(1, Math.floor(count / 8))}`

function containerOf(place: number): string {
  return `/g${place % 10}/s${Math.floor(place / 10) % 10}/t${Math.floor(place / 100) % 10}/`
}

function ancestors(path: string): string[] {
  const segments = path.split('/').slice(1, -1)
  return segments.map((_, depth) => `/${segments.slice(0, depth + 1).join('/')}/`)
}
