import { cases } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import type { Reply } from '../../harness/target.ts'
import { times } from '../values.ts'
import { type Cell, matrix } from './cell.ts'

/** A list with 101 items of its own, or with at least so many. */
interface List {
  readonly needs: Cell['needs']
  /** True if the list can be narrowed to the items made for it. */
  readonly isOwn: boolean
  /** Other cases look for what they made on the first page of these lists. */
  readonly turn?: 'alone'
  make(s: Context): Promise<string>
  ask(c: Context, own: string, query: Record<string, number>): Promise<Reply>
}

const text = (query: Record<string, number>) =>
  new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()
const count = 101
const tokens = async (s: Context) => {
  const run = `${s.tag}pages`
  const described = { type: 'token', data: 1, containers: [`/${run}/`], metadata: { run } }
  const made = await Promise.all(times(count, () => s.asPrivate('POST', '/tokens', described)))
  for (const reply of made) s.success(reply, 201, 'a valid token')
  return run
}

const lists: Readonly<Record<string, List>> = {
  tokens: {
    needs: [],
    isOwn: true,
    make: tokens,
    ask: (c, own, query) => c.asPrivate('GET', `/tokens?metadata.run=${own}&${text(query)}`),
  },
  search: {
    needs: [],
    isOwn: true,
    make: tokens,
    ask: (c, own, query) => c.asPrivate('POST', '/tokens/search', { query: `metadata.run:${own}`, ...query }),
  },
  formulas: {
    needs: ['management'],
    isOwn: true,
    turn: 'alone',
    async make(s) {
      const formula = {
        name: `${s.tag}pages`,
        type: 'private',
        code: '',
        configuration: [],
        request_parameters: [],
      }
      const made = await Promise.all(times(count, () => s.asManagement('POST', '/reactor-formulas', formula)))
      for (const reply of made) s.success(reply, 201, 'a valid formula')
      return `${s.tag}pages`
    },
    ask: (c, own, query) => c.asManagement('GET', `/reactor-formulas?name=${own}&${text(query)}`),
  },
  reactors: {
    needs: ['management'],
    isOwn: true,
    async make(s) {
      const reactor = { name: `${s.tag}pages`, formula: { id: (await s.formula()).id }, configuration: {} }
      const made = await Promise.all(times(count, () => s.asManagement('POST', '/reactors', reactor)))
      for (const reply of made) s.success(reply, 201, 'a valid reactor')
      return `${s.tag}pages`
    },
    ask: (c, own, query) => c.asManagement('GET', `/reactors?name=${own}&${text(query)}`),
  },
  applications: {
    needs: ['applications'],
    isOwn: false,
    turn: 'alone',
    async make(s) {
      await Promise.all(times(count, () => s.application({ permissions: ['token:use'] })))
      return ''
    },
    ask: (c, _own, query) => c.asManagement('GET', `/applications?${text(query)}`),
  },
  logs: {
    needs: ['management'],
    isOwn: false,
    make: tokens,
    ask: (c, _own, query) => c.asManagement('GET', `/logs?${text(query)}`),
  },
}

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly pagination: Readonly<Record<string, number>>
}

/** Queries of a list of 101 items, and the number of items that each has. */
const queries: Readonly<Record<string, { query: Record<string, number>; items: number; isLast?: true }>> = {
  default: { query: {}, items: 20 },
  'default-of-a-page': { query: { page: 2 }, items: 20 },
  'at-1': { query: { size: 1 }, items: 1 },
  'at-99': { query: { size: 99 }, items: 99 },
  'at-100': { query: { size: 100 }, items: 100 },
  'last-page': { query: { size: 100, page: 2 }, items: 1, isLast: true },
  'past-the-end': { query: { size: 100, page: 3 }, items: 0, isLast: true },
  'far-past-the-end': { query: { size: 100, page: 1000 }, items: 0, isLast: true },
}

const cells = Object.entries(lists).flatMap(([name, { needs, isOwn, turn, make, ask }]) =>
  Object.entries(queries).flatMap(([what, { query, items, isLast }]): Cell[] => {
    // A list of everything has another last page.
    if (isLast && !isOwn && what !== 'far-past-the-end') return []
    return [
      {
        requirement: 'PAG-543',
        name: `${name}-${what}`,
        title: `a page of a list of 101 ${name} has as many items as it says: ${what.replaceAll('-', ' ')}`,
        needs,
        ...(turn && { turn }),
        async run(c) {
          const own = await c.shared(`pages of ${make === tokens ? 'tokens' : name}`, make)
          const found = async () => c.success(await ask(c, own, query), 200, what).body as Page
          const page = name === 'search' || name === 'logs' ? await settled(c, found, items) : await found()
          c.equal(page.data.length, items, 'the number of items')
          c.equal(new Set(page.data.map(one => one.id)).size, items, 'the number of different items')
          const { page_size, page_number, total_items } = page.pagination
          c.equal(
            [page_size, page_number],
            [query.size ?? 20, query.page ?? 1],
            'size and number of the page',
          )
          if (isOwn) c.equal(total_items, count, 'total_items')
        },
      },
    ]
  }),
)

/** Unfinished jobs of one application: 101 invocations whose first delivery failed. They are canceled at the end. */
const jobsCell = cases({
  'PAG-543.jobs [management, applications, callbacks, alone]: a page of a list of 101 jobs has as many items as it says: each of these pages':
    async c => {
      const { call, id } = await c.application({ permissions: ['token:use'] })
      const reactor = await c.reactor({ code: 'module.exports = async () => ({ raw: {} })' })
      const box = (await c.inbox()).open(times(count * 2, () => 500))
      const invoke = () => c.react(reactor, { callback_url: box.url }, call)
      for (const reply of await Promise.all(times(count, invoke))) c.success(reply, 202, 'an invocation')
      const ask = async (query: Record<string, number>) =>
        (await c.get(`/jobs?requested_by=${id}&${text(query)}`)) as Page
      for (const [what, { query, items }] of Object.entries(queries)) {
        const { data, pagination } = await ask(query)
        const { page_size, page_number, total_items } = pagination
        c.equal(new Set(data.map(job => job.id)).size, items, `the number of different items: ${what}`)
        c.equal([data.length, page_size, page_number], [items, query.size ?? 20, query.page ?? 1], what)
        c.equal(total_items, count, `total_items: ${what}`)
      }
      const jobs = [await ask({ size: 100 }), await ask({ size: 100, page: 2 })].flatMap(({ data }) => data)
      for (const job of jobs)
        c.success(await c.asManagement('DELETE', `/jobs/${job.id}`), 204, 'canceling it')
      c.equal((await ask({})).data, [], 'the jobs afterwards')
    },
})

/** Waits for a page that shows what was written, if the list may lag behind. */
async function settled(c: Context, ask: () => Promise<Page>, items: number): Promise<Page> {
  let page = await ask()
  await c.eventually(async () => {
    if (page.data.length === items) return page
    page = await ask()
    return page.data.length === items ? page : undefined
  }, `a page of ${items} items`)
  return page
}

/** Sizes that are refused, each beside one that is accepted. */
const boundCells = Object.entries<Pick<List, 'needs' | 'ask'>>({
  ...lists,
  jobs: { needs: ['management'], ask: (c, _own, query) => c.asManagement('GET', `/jobs?${text(query)}`) },
}).map(
  ([name, { needs, ask }]): Cell => ({
    requirement: 'PAG-501',
    name: `bounds-${name}`,
    title: `pages and sizes of ${name} just outside the limits are refused, and just inside accepted`,
    needs,
    async run(c) {
      for (const query of [{ size: 1 }, { size: 100 }, { page: 1 }, { page: 2, size: 100 }])
        c.success(await ask(c, 'none', query), 200, JSON.stringify(query))
      for (const query of [
        { size: 0 },
        { size: 101 },
        { size: -1 },
        { page: 0 },
        { page: -1 },
        { size: 1.5 },
      ])
        c.refused(await ask(c, 'none', query), 400, JSON.stringify(query))
    },
  }),
)

/** Sizes, defaults and the end of each list and search. */
export const pageCases = matrix([...cells, ...jobsCell, ...boundCells])
