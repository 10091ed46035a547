import { cases } from '../harness/case.ts'
import { nothing } from './values.ts'

/** Decisions about pages where the specification is open. */
export const surrogatePageCases = cases({
  'PAG-501.a: every list refuses pages and sizes out of range': async c => {
    const lists = [c.asPrivate, c.asManagement].flatMap((call, kind) =>
      (kind === 0 ? ['/tokens'] : ['/reactor-formulas', '/reactors', '/applications', '/logs']).map(path => ({
        call,
        path,
      })),
    )
    for (const { call, path } of lists) {
      if (call === c.asManagement && !c.has('management')) continue
      await c.refuses(400, query => call('GET', `${path}?${query}`), 'page=1&size=100', {
        'a page 0': 'page=0&size=100',
        'a size of 101': 'page=1&size=101',
        'a size of 0': 'page=1&size=0',
        'a page that is not a number': 'page=one&size=100',
      })
    }
  },
  'PAG-502.a: pagination shows the number of items and the position of the page': async c => {
    for (let n = 0; n < 5; n++) await c.token({ metadata: { run: c.tag } })
    const page = await c.get(`/tokens?metadata.run=${c.tag}&page=2&size=2`, c.asPrivate)
    const { total_items, page_number, page_size, total_pages } = page.pagination
    c.equal([total_items, page_number, page_size, total_pages, page.data.length], [5, 2, 2, 3, 2], 'the page')
  },
  'PAG-502.even: pages that are all full are counted exactly, and an empty list has no pages': async c => {
    const counted = async (size: number) => {
      const query = `metadata.run=${c.tag}&size=${size}`
      const { pagination } = await c.get(`/tokens?${query}`, c.asPrivate)
      return [pagination.total_items, pagination.total_pages]
    }
    c.equal(await counted(2), [0, 0], 'of none')
    for (let n = 0; n < 4; n++) await c.token({ metadata: { run: c.tag } })
    const found = [await counted(1), await counted(2), await counted(3), await counted(4), await counted(5)]
    c.equal(
      found,
      [
        [4, 4],
        [4, 2],
        [4, 2],
        [4, 1],
        [4, 1],
      ],
      'of four, by the size of a page',
    )
  },
  'PAG-502.search: the pagination of a search shows the number of items and the position of the page':
    async c => {
      for (let n = 0; n < 5; n++) await c.token()
      await c.settles(async () => (await c.found('')).length, 5, 'what is found')
      const found = (await c.search('', undefined, { size: 2, page: 3 })).pagination
      c.equal(
        [found.total_items, found.page_number, found.page_size, found.total_pages],
        [5, 3, 2, 3],
        'of a search',
      )
    },
  'PAG-503.a: lists show the newest first': async c => {
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.unshift((await c.token({ metadata: { run: c.tag } })).id)
    c.equal(c.ids((await c.asPrivate('GET', `/tokens?metadata.run=${c.tag}`)).body), ids, 'ids of the list')
    const pages = [1, 2].map(page => c.asPrivate('GET', `/tokens?metadata.run=${c.tag}&size=2&page=${page}`))
    c.equal(
      (await Promise.all(pages)).flatMap(page => c.ids(page.body)),
      ids,
      'ids of the pages in turn',
    )
  },
  'PAG-503.search: searches show the newest first': async c => {
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.unshift((await c.token()).id)
    await c.settles(async () => c.ids(await c.search('')), ids, 'ids of the search')
  },
  'PAG-504.a: a page after the last one is empty': async c => {
    await c.token({ metadata: { run: c.tag } })
    const page = await c.get(`/tokens?metadata.run=${c.tag}&page=2`, c.asPrivate)
    c.equal([page.data, page.pagination.total_items], [[], 1], 'data and total')
  },
  'PAG-505.a: times have microseconds, increase strictly, and their tokens are found by them': async c => {
    const made = await Promise.all(Array.from({ length: 8 }, () => c.token()))
    const times = made.map(token => token.created_at as string)
    for (const time of times)
      c.ok(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(time), `${time} is in microseconds`, time)
    c.equal(new Set(times).size, times.length, 'different times')
    const [first] = made
    c.equal(
      await c.found(`created_at:[${first.created_at} TO ${first.created_at}]`),
      [first.id],
      'found by its time',
    )
  },
  'PAG-506.a: tokens outside a rule are neither listed nor counted': async c => {
    const metadata = { run: c.tag }
    const { id } = await c.token({ metadata, containers: [`${c.container}in/`] })
    await c.token({ metadata, containers: [`${c.container}out/`] })
    const { call } = await c.ruled('reveal', ['token:read'], `${c.container}in/`)
    const list = (await call('GET', `/tokens?metadata.run=${c.tag}`)).body
    c.equal([c.ids(list), list.pagination.total_items], [[id], 1], 'the list')
    c.refused(await call('GET', `/tokens/${nothing}`), 404, 'an unknown id')
  },
  'PAG-506.search: tokens outside a rule are neither found nor counted': async c => {
    const { id } = await c.token({ containers: [`${c.container}in/`] })
    await c.token({ containers: [`${c.container}out/`] })
    const { call } = await c.ruled('reveal', ['token:search'], `${c.container}in/`)
    const look = async () => {
      const found = await c.search('', call)
      return [c.ids(found), found.pagination.total_items]
    }
    await c.settles(look, [[id], 1], 'the search')
  },
})
