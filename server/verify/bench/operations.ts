import { keys } from '../support/callers.ts'
import { cardNumber } from '../support/cards.ts'
import type { Request } from './load.ts'

export interface Operation {
  readonly key: string
  /** Returns the n-th request, on an existing token or by the path that invokes a reactor. */
  readonly request: (n: number, id: string, reactor: string) => Request
}

const metadata = (n: number) => ({ customer: String(n % 1000) })

const create = (type: string, data: unknown, n: number): Request => ({
  method: 'POST',
  path: '/tokens',
  body: JSON.stringify({ type, data, metadata: metadata(n) }),
})

const get = (_: number, id: string): Request => ({ method: 'GET', path: `/tokens/${id}` })

/**
 * Creates of cards, and of social security numbers with their three default search indexes; reads that mask, and
 * reads that reveal and write to the audit log; an update of metadata; a page of 20 masked tokens with the total; an
 * invocation of a formula with a token.
 */
export const operations = {
  create: {
    key: keys.private,
    // A new card each time: equal ones would share their index entries.
    request: n => create('card', { number: cardNumber(n), expiration_month: 12, expiration_year: 2030 }, n),
  },
  'create indexed': {
    key: keys.private,
    request: n => create('social_security_number', String(n % 1e9).padStart(9, '0'), n),
  },
  'get masked': { key: keys.masked, request: get },
  'get revealed': { key: keys.private, request: get },
  patch: {
    key: keys.private,
    request: (n, id) => ({
      method: 'PATCH',
      path: `/tokens/${id}`,
      body: JSON.stringify({ metadata: metadata(n) }),
    }),
  },
  'list page': { key: keys.masked, request: () => ({ method: 'GET', path: '/tokens' }) },
  invoke: {
    key: keys.private,
    request: (_, id, reactor) => ({
      method: 'POST',
      path: reactor,
      body: JSON.stringify({ args: { card: `{{ ${id} }}` } }),
    }),
  },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations
