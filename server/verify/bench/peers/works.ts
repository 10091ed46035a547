import { type Operation, operations } from '../operations.ts'
import { customerOf, emailOf, tokenAt } from '../search/corpus.ts'
import type { Corpus } from '../search/shapes.ts'
import { maskingKey, privateKey } from '../server-process.ts'

const dayMs = 24 * 3_600_000

/** When tokens of the corpus were updated. */
interface Updated {
  readonly fromMs: number
  readonly toMs: number
  /** How many were. */
  readonly updates: number
}

/**
 * Requests that are measured beside the peers, on the corpus of `search/`. No two searches in a row have the same query.
 * A range of time has about 700 tokens.
 */
export function worksOn({ count, startMs }: Corpus, updated: Updated): Readonly<Record<string, Operation>> {
  const search = (query: (n: number, id: string) => string): Operation => ({
    key: maskingKey,
    request: (n, id) => ({
      method: 'POST',
      path: '/tokens/search',
      body: JSON.stringify({ query: query(n, id) }),
    }),
  })
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const { fromMs, toMs, updates } = updated
  const spanMs = Math.min(toMs - fromMs, (700 * (toMs - fromMs)) / updates)
  const instant = (ms: number) => new Date(ms).toISOString()
  return {
    create: {
      key: privateKey,
      request: n => ({ method: 'POST', path: '/tokens', body: JSON.stringify(tokenAt(count + n, count)) }),
    },
    update: operations.patch,
    'get masked': operations['get masked'],
    'list of 20 with total': operations['list page'],
    'search: one rare term': search(n => `metadata.customer:${customerOf(n, count)}`),
    'search: exact data': search(n => `data:${emailOf(Math.floor(((n * 7) % count) / 10) * 10)}`),
    'search: one id': search((_, id) => `id:${id}`),
    'search: container and below': search(n => `container:"/g${n % 10}/*"`),
    'search: range of creation': search(n => {
      const from = startMs + ((n * 7) % 720) * dayMs
      return `created_at:[${day(from)} TO ${day(from + 4 * dayMs)}]`
    }),
    'search: range of modification': search(n => {
      const from = fromMs + (((n * 7) % 100) / 100) * (toMs - fromMs - spanMs)
      return `modified_at:[${instant(from)} TO ${instant(from + spanMs)}]`
    }),
  }
}
