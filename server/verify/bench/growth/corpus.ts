import { cardNumber } from '../../support/canaries.ts'
import type { Request } from '../load.ts'

/** Each customer has this many tokens, however many there are in all. */
const tokensOfCustomer = 8
const languages = 20

/** Returns a pseudo-random number that depends on the token only. */
const mix = (n: number) => Math.imul((n + 1) ^ (n >>> 7), 0x9e3779b1) >>> 0

/** Returns the n-th token: a card in one of ten containers, with three entries of metadata. */
const tokenAt = (n: number, expiresAt: string | undefined) => ({
  type: 'card',
  data: { number: cardNumber(n), expiration_month: 12, expiration_year: 2030 },
  containers: [`/t${mix(n) % 10}/`],
  metadata: {
    customer: `c-${Math.floor(n / tokensOfCustomer)}`,
    half: `h${(mix(n) >>> 8) % 2}`,
    lang: `l${(mix(n) >>> 16) % languages}`,
  },
  ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
})

/** Returns the request that creates the n-th token. */
export const createAt = (n: number): Request => ({
  method: 'POST',
  path: '/tokens',
  body: JSON.stringify(tokenAt(n, undefined)),
})

/** Returns the request that creates as many tokens from the n-th at once. */
export const tokenizeAt = (n: number, count: number, expiresAt?: string): Request => ({
  method: 'POST',
  path: '/tokenize',
  body: JSON.stringify(Array.from({ length: count }, (_, at) => tokenAt(n + at, expiresAt))),
})

/** Returns the searches by name. @param from when the first token of a range was created */
export function searchesIn(size: number, from: string, to: string): Readonly<Record<string, string>> {
  const some = Array.from({ length: 15 }, (_, n) => `metadata.lang:l${n}`)
  return {
    'rare term': `metadata.customer:c-${Math.floor(size / tokensOfCustomer / 2)}`,
    'term of all': 'type:card',
    'half AND a tenth AND NOT a twentieth': 'metadata.half:h1 AND container:"/t3/" AND NOT metadata.lang:l7',
    'one of 15': some.join(' OR '),
    'range of dates': `created_at:[${from} TO ${to}]`,
  }
}
