import fc from 'fast-check'
import { keys } from './callers.ts'
import { type Extra, type FuzzCase, type FuzzRequest, request } from './case.ts'
import type { Document } from './document.ts'
import { newFormula, newReactor } from './drafts.ts'
import type { Draw } from './draw.ts'

/** A server may end a connection with more unanswered requests. */
const pipelined = 8

type UnreadCase = Pick<FuzzCase, 'title' | 'request' | 'prelude'> & { readonly extra: Extra }

/** Draws requests of which nobody reads the responses, or that hold as much as one caller may have. */
export function unreadCase(document: Document, draw: Draw): UnreadCase {
  return draw(fc.constantFrom(large, large, long, outside, halves, jobs))(draw, document)
}

/**
 * Reads of a large token: twice the bytes that a server may hold, besides those in the system's send buffers, 1 to 3 MB
 * of each connection. What is behind them on the same connection must not be begun.
 */
function large(): UnreadCase {
  const body = { id: 'fuzz-unread', type: 'token', data: 'x'.repeat(900_000) }
  const { data: _, ...small } = { ...body, id: 'fuzz-behind' }
  return {
    title: 'unread reads of a large token',
    prelude: [
      request('DELETE', '/tokens/fuzz-behind', keys.private),
      request('DELETE', '/tokens/fuzz-unread', keys.private),
      request('POST', '/tokens', keys.private, body),
    ],
    request: request('GET', '/tokens/fuzz-unread', keys.private),
    extra: {
      ...{ check: 'unread', connections: 60, times: pipelined - 1 },
      behind: {
        sent: request('POST', '/tokens', keys.private, { ...small, data: 1 }),
        seen: request('GET', '/tokens/fuzz-behind', keys.private),
      },
    },
  }
}

/** Any list of the contract. */
function long(draw: Draw, { operations }: Document): UnreadCase {
  const lists = operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'))
  const { id, path, applicationTypes } = draw(fc.constantFrom(...lists))
  const key = keys[applicationTypes.at(-1) ?? 'private']
  return unread(`of ${id}`, request('GET', `${path}?size=100`, key))
}

/** What is outside of the contract. */
function outside(draw: Draw): UnreadCase {
  const path = draw(
    fc.constantFrom('/docs', '/docs/docs.js', '/docs/openapi.json', '/metrics', '/_dev/events', '/_dev/'),
  )
  return unread(`of ${path}`, request('GET', path, keys.public))
}

const unread = (of: string, request: FuzzRequest): UnreadCase => ({
  title: `unread responses ${of}`,
  prelude: [],
  request,
  extra: { check: 'unread', connections: 40, times: pipelined },
})

/** As many bodies as there are connections, and none of them ends. */
function halves(): UnreadCase {
  const { headers, ...half } = request('POST', '/tokens', keys.public, ' ')
  return {
    title: 'unfinished bodies on all connections',
    prelude: [],
    request: { ...half, headers: [...headers, ['Content-Length', '100000']] },
    extra: { check: 'unread', connections: 1_100, times: 1 },
  }
}

/** Asynchronous invocations of one session whose answers nobody takes. */
function jobs(): UnreadCase {
  const react = (key: string) =>
    request('POST', '/reactors/@@3.id@@/react', key, { args: {}, callback_url: 'http://127.0.0.1:1/' })
  return {
    title: 'asynchronous invocations of one session',
    prelude: [
      request('POST', '/sessions', keys.public),
      request('POST', '/sessions/authorize', keys.private, {
        nonce: '@@0.nonce@@',
        permissions: ['token:use'],
      }),
      newFormula(keys.management, 'module.exports = async () => ({ raw: 1 })'),
      newReactor(keys.management, '@@2.id@@'),
    ],
    request: react('@@0.session_key@@'),
    extra: { check: 'others', other: react(keys.private) },
  }
}
