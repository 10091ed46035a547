import type { JsonObject } from '../../../src/base/json/json.ts'
import { cardNumber } from '../../support/canaries.ts'

/** The period in which the tokens were created. */
export const spanMs = 730 * 24 * 3_600_000

/** Returns a pseudo-random number that depends on the token only. */
function mix(n: number, salt: number): number {
  let hash = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) >>> 0
}

const languages = 20

/** Returns the n-th token: of four types, in a thousand nested containers, with common and rare metadata. */
export function tokenAt(n: number, count: number): JsonObject {
  const [first, second] = [containerOf(mix(n, 1) % 1000), containerOf(mix(n, 2) % 1000)]
  const region = mix(n, 3) % 10
  return {
    ...contentAt(n),
    containers: n % 50 === 0 && first !== second ? [first, second] : [first],
    metadata: {
      source: 'bench',
      region: region < 6 ? 'eu' : region < 9 ? 'us' : 'ap',
      tier: mix(n, 4) % 2 ? 'gold' : 'plain',
      lang: `l${mix(n, 5) % languages}`,
      customer: customerOf(mix(n, 6), count),
    },
  }
}

function contentAt(n: number): JsonObject {
  const digits = String(n).padStart(9, '0')
  const sort = n % 10
  if (sort < 6) {
    const data = { email: emailOf(n), note: 'n'.repeat(100 + (mix(n, 7) % 200)) }
    return { type: 'token', data, search_indexes: ['{{ data.email }}'] }
  }
  if (sort < 8) return { type: 'social_security_number', data: digits }
  if (sort === 8) return { type: 'card_number', data: cardNumber(n) }
  return { type: 'bank', data: { routing_number: '110000000', account_number: digits } }
}

const emailOf = (n: number) => `user${n}@example.org`
/** Each customer has about eight tokens, however many there are. */
const customerOf = (hash: number, count: number) => `c-${hash % Math.max(1, Math.floor(count / 8))}`

function containerOf(place: number): string {
  return `/g${place % 10}/s${Math.floor(place / 10) % 10}/t${Math.floor(place / 100) % 10}/`
}

/** A search to be measured. */
export interface Shape {
  readonly name: string
  readonly query: string
  /** Set if the caller may see only one container and those below. */
  readonly restricted?: true
  /** Tokens in a page; 20 by default. */
  readonly size?: number
  readonly page?: 'far' | 'far by cursor'
}

/** A distant page, which should be as fast as the first. */
export const farPage = 5000

export interface Corpus {
  readonly count: number
  readonly startMs: number
}

export function shapesFor({ count, startMs }: Corpus): Shape[] {
  const customer = `metadata.customer:${customerOf(4242, count)}`
  const dayMs = 24 * 3_600_000
  const fromMs = Math.floor((startMs + spanMs / 2) / dayMs) * dayMs
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const days = `created_at:[${day(fromMs)} TO ${day(fromMs + 4 * dayMs)}]`
  const below = 'container:"/g3/*"'
  const everything = { query: 'metadata.source:bench' }
  return [
    { name: 'rare term', query: customer },
    { name: 'term of all', ...everything },
    { name: 'no condition', query: '' },
    { name: 'common AND common', query: 'metadata.region:eu AND metadata.tier:gold' },
    { name: 'common AND NOT rare', query: `metadata.region:eu AND NOT ${customer}` },
    { name: 'OR of five', query: [3, 5, 7, 11, 13].map(lang => `metadata.lang:l${lang}`).join(' OR ') },
    { name: 'container and below', query: below },
    { name: 'five days AND container', query: `${days} AND ${below}` },
    { name: 'data, exact', query: `data:${emailOf(Math.floor(count / 20) * 10)}` },
    { name: 'restricted caller', query: 'metadata.tier:gold', restricted: true },
    { name: 'count only', ...everything, size: 1 },
    { name: 'page 5,000 by number', ...everything, page: 'far' },
    { name: 'page 5,000 by cursor', ...everything, page: 'far by cursor' },
  ]
}
