import { load } from '../load.ts'
import type { Measured } from '../measure.ts'
import type { Started } from '../processes.ts'
import { maskingKey, restrictedKey } from '../server-process.ts'
import { type Corpus, farPage, type Shape, shapesFor } from './shapes.ts'

export interface SearchMeasured extends Measured {
  /** The tokens that match. */
  readonly total: number
}

interface Page {
  readonly pagination: { readonly total_items: number; readonly next?: string }
}

/** Measures each search, one at a time over HTTP, when what it reads is in memory. Keyed by the names of the shapes. */
export async function measureSearches(
  { url }: Started,
  corpus: Corpus,
  seconds: number,
): Promise<Map<string, SearchMeasured>> {
  const measured = new Map<string, SearchMeasured>()
  for (const shape of shapesFor(corpus)) {
    const key = shape.restricted ? restrictedKey : maskingKey
    const ask = async (body: object): Promise<Page> => {
      const headers = { 'SVC-API-KEY': key, 'Content-Type': 'application/json' }
      const response = await fetch(`${url}/tokens/search`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${shape.name}: status ${response.status}: ${await response.text()}`)
      return (await response.json()) as Page
    }
    const body = JSON.stringify(await bodyOf(shape, ask))
    const request = { method: 'POST', path: '/tokens/search', body } as const
    const job = { urls: [url], keys: [key], connections: 1, request: () => request }
    await load({ ...job, requests: 150 })
    const { total_items: total } = (await ask(JSON.parse(body))).pagination
    measured.set(shape.name, { total, ...(await load({ ...job, seconds })) })
  }
  return measured
}

async function bodyOf(
  { query, size = 20, page }: Shape,
  ask: (body: object) => Promise<Page>,
): Promise<object> {
  if (page === undefined) return { query, size }
  const { total_items } = (await ask({ query, size: 1 })).pagination
  const far = Math.max(2, Math.min(farPage, Math.floor(total_items / size)))
  if (page === 'far') return { query, size, page: far }
  return { query, size, start: (await ask({ query, size, page: far - 1 })).pagination.next }
}
