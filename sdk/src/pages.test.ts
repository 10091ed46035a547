import t from 'tap'
import { failure, fakeClient, json, page, problem } from '../testing/fakes.ts'
import { type Page, Pages, type SurrogateError } from './index.ts'

/** A server with a list that can change between requests, newest item first. */
function listServer(count: number, size = 2) {
  const items = Array.from({ length: count }, (_, index) => ({ id: `t${index + 1}` }))
  const client = fakeClient((request, body) => {
    const url = new URL(request.url)
    if (request.method === 'DELETE') {
      items.splice(
        items.findIndex(({ id }) => url.pathname.endsWith(`/${id}`)),
        1,
      )
      return new Response(null, { status: 204 })
    }
    const number = Number(url.searchParams.get('page') ?? (body && JSON.parse(body).page) ?? 1) || 1
    return page(items.slice((number - 1) * size, number * size), items.length, number, size)
  })
  return { items, ...client }
}

async function idsOf(list: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids = []
  for await (const { id } of list) ids.push(id)
  return ids
}

t.test('nothing is sent before a list is awaited', async t => {
  const { surrogate, sent } = listServer(3)
  const list = surrogate.tokens.list()
  t.ok(list instanceof Pages)
  t.equal(sent.length, 0)
  const { data, pagination } = await list
  t.same(data, [{ id: 't1' }, { id: 't2' }])
  t.same(pagination, { total_items: 3, page_number: 1, page_size: 2, total_pages: 2 })
  await list
  t.equal(sent.length, 1, 'and once only')
})

t.test('a list can be iterated item by item, from any page on', async t => {
  const { surrogate, sent } = listServer(5)
  t.same(await idsOf(surrogate.tokens.list({ type: ['card'] })), ['t1', 't2', 't3', 't4', 't5'])
  const queries = sent.map(({ query }) => query)
  t.same(queries, ['?type=card', '?type=card&page=2', '?type=card&page=3'])
  t.same(await idsOf(surrogate.tokens.list({ page: 2 })), ['t3', 't4', 't5'])
})

t.test('a search sends its page in the body', async t => {
  const { surrogate, sent } = listServer(3)
  t.same(await idsOf(surrogate.tokens.search({ query: 'a:b', size: 2 })), ['t1', 't2', 't3'])
  const found = sent.map(({ body }) => JSON.parse(body))
  t.same(found, [
    { query: 'a:b', size: 2 },
    { query: 'a:b', size: 2, page: 2 },
  ])
})

t.test('every list of the client works the same way', async t => {
  const { surrogate } = listServer(3)
  for (const list of [
    surrogate.reactorFormulas,
    surrogate.reactors,
    surrogate.applications,
    surrogate.logs,
  ]) {
    t.same(await idsOf(list.list()), ['t1', 't2', 't3'])
    t.equal((await list.list({ page: 2 })).data.length, 1)
  }
})

t.test('a page has the total and fetches the next one', async t => {
  for (const server of [listServer(5), cursorServer(5)]) {
    const ids: string[][] = []
    let page: Page<{ id: string }> | undefined = await server.surrogate.tokens.list({ type: ['card'] })
    t.equal(page.total, 5)
    for (; page; page = await page.getNextPage()) ids.push(page.data.map(({ id }) => id))
    t.same(ids, [['t1', 't2'], ['t3', 't4'], ['t5']])
    t.equal(server.sent.length, 3)
  }
  const { surrogate } = cursorServer(5)
  const last = await surrogate.tokens.list({ start: 't4' })
  t.same(last.data, [{ id: 't5' }])
  t.equal(await last.getNextPage(), undefined)
  t.same(Object.keys(last).sort(), ['data', 'pagination'], 'printing shows the page alone')
})

t.test('a list can be collected up to a limit', async t => {
  const { surrogate, sent } = listServer(9)
  t.same(await surrogate.tokens.list().toArray({ limit: 3 }), [{ id: 't1' }, { id: 't2' }, { id: 't3' }])
  t.equal(sent.length, 2, 'fetches no more pages than needed')
  t.same(await surrogate.tokens.list().toArray({ limit: 2 }), [{ id: 't1' }, { id: 't2' }])
  t.equal(sent.length, 3)
  t.equal((await surrogate.tokens.list().toArray({ limit: Number.POSITIVE_INFINITY })).length, 9)
  for (const limit of [0, -1, Number.NaN, undefined as never])
    await t.rejects(surrogate.tokens.list().toArray({ limit }), TypeError)
})

t.test('an empty list has no items', async t => {
  const { surrogate, sent } = listServer(0)
  t.same(await idsOf(surrogate.tokens.list()), [])
  t.equal(sent.length, 1)
})

t.test('an iteration can stop early', async t => {
  const { surrogate, sent } = listServer(5)
  for await (const _ of surrogate.tokens.list()) break
  t.equal(sent.length, 1)
})

t.test('deleting in the loop misses nothing', async t => {
  const { surrogate, items } = listServer(9)
  const deleted: string[] = []
  for await (const { id } of surrogate.tokens.list()) {
    await surrogate.tokens.delete(id)
    deleted.push(id)
  }
  t.same(deleted, ['t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9'])
  t.same(items, [])
})

t.test('items created and deleted meanwhile neither hide nor repeat another one', async t => {
  const { surrogate, items } = listServer(12, 3)
  const ids: string[] = []
  for await (const { id } of surrogate.tokens.list()) {
    ids.push(id)
    if (id === 't2') items.unshift({ id: 'new1' }, { id: 'new2' })
    if (id === 't5') items.splice(0, 5)
    if (id === 't8') items.splice(0, 1, { id: 'new3' })
  }
  const lasting = ['t6', 't7', 't8', 't9', 't10', 't11', 't12']
  const left = ids.filter(id => lasting.includes(id))
  t.same(left, lasting)
  t.equal(new Set(ids).size, ids.length)
})

/** Like `listServer`, with cursors: a cursor is the id of the last item of a page. */
function cursorServer(count: number, size = 2) {
  const items = Array.from({ length: count }, (_, index) => ({ id: `t${index + 1}` }))
  const client = fakeClient((request, body) => {
    const query = new URL(request.url).searchParams
    const asked = body
      ? JSON.parse(body)
      : { start: query.get('start') ?? undefined, page: query.get('page') }
    if (asked.start !== undefined && asked.page) return problem(400, 'validation')
    const from = asked.start === undefined ? ((asked.page ?? 1) - 1) * size : Number(asked.start.slice(1))
    const lasting = items.findIndex(({ id }) => id.startsWith('t'))
    const data = items.slice(from + lasting, from + lasting + size)
    const last = data.at(-1)
    const next = last && last !== items.at(-1) ? { next: last.id } : {}
    const numbers = { total_items: items.length, page_number: 1, page_size: size, total_pages: 99 }
    return json({ pagination: { ...numbers, ...next }, data })
  })
  return { items, ...client }
}

t.test('a list whose pages have cursors is iterated by cursor, not by number', async t => {
  const { surrogate, sent, items } = cursorServer(5)
  const ids: string[] = []
  for await (const { id } of surrogate.tokens.list({ type: ['card'], page: 1 })) {
    ids.push(id)
    items.unshift({ id: `new ${id}` })
  }
  t.same(ids, ['t1', 't2', 't3', 't4', 't5'])
  const queries = sent.map(({ query }) => query)
  t.same(queries, ['?type=card&page=1', '?type=card&start=t2', '?type=card&start=t4'])
})

t.test('a search sends its cursor in the body, also one given by the caller', async t => {
  const { surrogate, sent } = cursorServer(5)
  t.same(await idsOf(surrogate.tokens.search({ query: 'a:b', page: 2 })), ['t3', 't4', 't5'])
  t.same(await idsOf(surrogate.tokens.search({ query: 'a:b', start: 't3' })), ['t4', 't5'])
  t.same(await idsOf(surrogate.tokens.list({ start: 't1' })), ['t2', 't3', 't4', 't5'])
  const found = sent.slice(0, 3).map(({ body }) => JSON.parse(body))
  t.same(found, [
    { query: 'a:b', page: 2 },
    { query: 'a:b', start: 't4' },
    { query: 'a:b', start: 't3' },
  ])
})

t.test('a server that returns the same cursor again causes no endless loop', async t => {
  const { surrogate, sent } = fakeClient(() =>
    json({
      pagination: { total_items: 9, page_number: 1, page_size: 1, total_pages: 9, next: 'x' },
      data: [],
    }),
  )
  t.same(await idsOf(surrogate.tokens.list()), [])
  t.equal(sent.length, 2)
})

t.test('without a limit the array of a list is refused', async t => {
  const { surrogate, sent } = fakeClient(() => page([{ id: 't1' }], 1, 1))
  for (const given of [undefined, {}, 20, { limit: 0 }])
    await t.rejects(surrogate.tokens.list().toArray(given as { limit: number }), {
      name: 'TypeError',
      message: 'limit must be a positive number, as in toArray({ limit: 100 })',
    })
  t.equal(sent.length, 0)
  t.equal((await surrogate.tokens.list().toArray({ limit: 1 })).length, 1, 'control')
})

t.test('a list rejects like a promise', async t => {
  const { surrogate } = fakeClient(() => problem(400, 'validation'))
  t.match(await failure(Promise.all([surrogate.tokens.list()])), { status: 400 })
  t.match(await failure(idsOf(surrogate.tokens.list())), { status: 400 })
  t.equal(await surrogate.tokens.list().catch(error => (error as SurrogateError).status), 400)
  let done = 0
  t.match(await failure(surrogate.tokens.list().finally(() => done++)), { status: 400 })
  t.equal(done, 1)
})

t.test('a server that returns the same page again causes no endless loop', async t => {
  const { surrogate, sent } = fakeClient(() => page([{ id: 't1' }], 5, 1))
  t.same(await idsOf(surrogate.tokens.list()), ['t1'])
  t.equal(sent.length, 3)
  const without = fakeClient(() => json({ pagination: {}, data: [] })).surrogate
  t.same(await idsOf(without.tokens.list()), [], 'nor does one without page numbers')
  const found = await without.tokens.list()
  t.same(found, { pagination: {}, data: [] })
})
