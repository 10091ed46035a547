import {
  type Body,
  bodyOf,
  intercept,
  type Mutant,
  type Mutants,
  requestFrom,
  responseFrom,
  tokenSearch,
} from '../mutate.ts'

/** A list that has another number of items on a page than it says. */
const pages = (
  path: RegExp,
  method: 'GET' | 'POST',
  change: (asked: URLSearchParams | Body) => void,
): Mutant['change'] =>
  intercept(method, path, (received, next) => {
    if (method === 'POST') {
      const body = { ...received.body }
      change(body)
      return next(requestFrom(received, { body }))
    }
    const query = new URLSearchParams(received.search)
    change(query)
    return next(requestFrom(received, { search: `?${query}` }))
  })

const defaultsTo = (path: RegExp, size: number) =>
  pages(path, 'GET', query => {
    if (!query.has('size')) query.set('size', String(size))
  })
const capsAt = (path: RegExp, size: number) =>
  pages(path, 'GET', query => {
    if (Number(query.get('size')) > size) query.set('size', String(size))
  })

const lists = {
  tokens: /^\/tokens$/,
  formulas: /^\/reactor-formulas$/,
  reactors: /^\/reactors$/,
  applications: /^\/applications$/,
  logs: /^\/logs$/,
}

const listMutants: Mutants = Object.fromEntries(
  Object.entries(lists).flatMap(([name, path]) => [
    [`${name}-10-by-default`, { failing: [`PAG-543.${name}-default`], change: defaultsTo(path, 10) }],
    [`${name}-50-by-default`, { failing: [`PAG-543.${name}-default`], change: defaultsTo(path, 50) }],
    [`${name}-at-most-20`, { failing: [`PAG-543.${name}-at-100`], change: capsAt(path, 20) }],
    [
      `${name}-last-page-again`,
      {
        failing: [`PAG-543.${name}-far-past-the-end`],
        change: intercept('GET', path, async (received, next) => {
          const response = await next(requestFrom(received))
          const body = await bodyOf(response)
          const { total_pages = 0, page_number = 0 } = body?.pagination ?? {}
          if (!response.ok || total_pages === 0 || page_number <= total_pages) return response
          const query = new URLSearchParams(received.search)
          query.set('page', String(total_pages))
          const last = await bodyOf(await next(requestFrom(received, { search: `?${query}` })))
          return responseFrom(response, { body: { ...body, data: last.data } })
        }),
      },
    ],
  ]),
)

/** Mutants of the limits, defaults and ends of pages. */
export const pagesMutants: Mutants = {
  ...listMutants,
  'jobs-25-by-default': { failing: ['PAG-543.jobs'], change: defaultsTo(/^\/jobs$/, 25) },
  'jobs-of-any-size': {
    failing: ['PAG-501.bounds-jobs'],
    change: pages(/^\/jobs$/, 'GET', query => {
      if (!(Number(query.get('size') ?? 1) >= 1)) query.set('size', '1')
    }),
  },
  'search-at-most-50': {
    failing: ['PAG-543.search-at-100'],
    change: pages(tokenSearch, 'POST', body => {
      if (body.size > 50) body.size = 50
    }),
  },
  'search-50-by-default': {
    failing: ['SEA-033.a'],
    change: pages(tokenSearch, 'POST', body => {
      if (body.size === undefined) body.size = 50
    }),
  },
  'search-last-page-again': {
    failing: ['PAG-543.search-past-the-end'],
    change: intercept('POST', tokenSearch, async (received, next) => {
      const response = await next(requestFrom(received))
      const body = await bodyOf(response)
      const { total_pages = 0, page_number = 0 } = body?.pagination ?? {}
      if (!response.ok || total_pages === 0 || page_number <= total_pages) return response
      const last = await bodyOf(
        await next(requestFrom(received, { body: { ...received.body, page: total_pages } })),
      )
      return responseFrom(response, { body: { ...body, data: last.data } })
    }),
  },
}
