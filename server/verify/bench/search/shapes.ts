import { customerOf, emailOf, spanMs } from './corpus.ts'

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
