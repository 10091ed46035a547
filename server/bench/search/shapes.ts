import { customerOf, emailOf, spanMs } from './corpus.ts'

/** A search to be measured, for our server and for the database. */
export interface Shape {
  readonly name: string
  readonly query: string
  /** Set if the caller may see only one container and those below. */
  readonly restricted?: true
  readonly size: number
  readonly page: 'first' | 'far' | 'far by cursor'
  readonly sql: Selection
}

/** Selects the `ord` of the matching rows; the terms replace `?` in order. */
export interface Selection {
  readonly text: string
  readonly terms: readonly string[]
  readonly fromMs?: number
  readonly toMs?: number
}

/** A distant page, which should be as fast as the first. */
export const farPage = 5000

const has = 'SELECT ord FROM postings WHERE term = ?'
const also = 'EXISTS (SELECT 1 FROM postings other WHERE other.term = ? AND other.ord = postings.ord)'

export interface Corpus {
  readonly count: number
  readonly startMs: number
}

/** Each `round` uses other rare values, so that cold searches do not find them in memory. */
export function shapesFor({ count, startMs }: Corpus, round = 0): Shape[] {
  const customer = customerOf(4242 + round * 7919, count)
  const email = emailOf(Math.floor(count / 20 + round * 13) * 10)
  const dayMs = 24 * 3_600_000
  const fromMs = Math.floor((startMs + spanMs / 2) / dayMs) * dayMs
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const languages = [3, 5, 7, 11, 13].map(lang => `metadata.lang:l${lang}`)
  const first = { size: 20, page: 'first' } as const
  const everything = { query: 'metadata.source:bench', sql: { text: has, terms: ['metadata.source:bench'] } }
  return [
    {
      name: 'rare term',
      query: `metadata.customer:${customer}`,
      ...first,
      sql: { text: has, terms: [`metadata.customer:${customer}`] },
    },
    { name: 'term of all', ...everything, ...first },
    // For the database, every token has this term.
    { name: 'no condition', ...everything, query: '', ...first },
    {
      name: 'common AND common',
      query: 'metadata.region:eu AND metadata.tier:gold',
      ...first,
      sql: { text: `${has} AND ${also}`, terms: ['metadata.tier:gold', 'metadata.region:eu'] },
    },
    {
      name: 'common AND NOT rare',
      query: `metadata.region:eu AND NOT metadata.customer:${customer}`,
      ...first,
      sql: {
        text: `${has} AND NOT ${also}`,
        terms: ['metadata.region:eu', `metadata.customer:${customer}`],
      },
    },
    {
      name: 'OR of five',
      query: languages.join(' OR '),
      ...first,
      // Each token has one language, so there are no duplicates.
      sql: { text: 'SELECT ord FROM postings WHERE term IN (?, ?, ?, ?, ?)', terms: languages },
    },
    {
      name: 'container and below',
      query: 'container:"/g3/*"',
      ...first,
      sql: { text: has, terms: ['under:/g3/'] },
    },
    {
      name: 'five days AND container',
      query: `created_at:[${day(fromMs)} TO ${day(fromMs + 4 * dayMs)}] AND container:"/g3/*"`,
      ...first,
      sql: {
        text: `${has} AND ord BETWEEN ? AND ?`,
        terms: ['under:/g3/'],
        fromMs,
        toMs: fromMs + 5 * dayMs - 0.001,
      },
    },
    {
      name: 'data, exact',
      query: `data:${email}`,
      ...first,
      sql: { text: has, terms: [`data:${email}`] },
    },
    {
      name: 'restricted caller',
      query: 'metadata.tier:gold',
      restricted: true,
      ...first,
      // Only our server excludes tokens that are also in a container outside.
      sql: { text: `${has} AND ${also}`, terms: ['under:/g3/', 'metadata.tier:gold'] },
    },
    { name: 'count only', ...everything, size: 1, page: 'first' },
    { name: 'page 5,000 by number', ...everything, size: 20, page: 'far' },
    { name: 'page 5,000 by cursor', ...everything, size: 20, page: 'far by cursor' },
  ]
}
