import { cases } from '../../harness/case.ts'
import { allTokenPermissions, minute } from '../values.ts'
import { type Entry, namedBy } from './logged.ts'

/** Lists of the log. */
export const logListCases = cases({
  'LOG-501.pages [management]: the entries of a resource have pages, the newest first, and can be narrowed by time':
    async c => {
      const { id } = await c.token()
      for (const a of ['1', '2']) await c.patch(id, { metadata: { a } })
      const path = `/logs?entity_id=${id}&entity_type=token`
      const ask = async (query: string) =>
        (await c.get(`${path}&${query}`)) as {
          readonly data: readonly {
            readonly id: string
            readonly operation: string
            readonly created_at: string
          }[]
          readonly pagination: object
        }
      const { data: all } = await c.eventually(async () => {
        const found = await ask('size=100')
        return found.data.filter(one => one.operation === 'token:update').length === 2 ? found : undefined
      }, 'entries of two updates')
      const times = all.map(one => one.created_at)
      c.equal(times, [...times].sort().reverse(), 'the newest first')
      const to = encodeURIComponent(times[0] ?? '')
      const ids = all.map(one => one.id)
      c.equal(new Set(ids).size, ids.length, 'each entry once')
      for (const [page, size] of [
        [1, 1],
        [2, 2],
      ] as const) {
        const { data, pagination } = await ask(`to=${to}&page=${page}&size=${size}`)
        const total = all.length
        const expected = {
          total_items: total,
          page_number: page,
          page_size: size,
          total_pages: Math.ceil(total / size),
        }
        c.equal(pagination, expected, 'pagination')
        c.equal(
          data.map(one => one.id),
          ids.slice((page - 1) * size, page * size),
          'the entries of a page',
        )
      }
      const from = encodeURIComponent(times[0] ?? '')
      const { data: last } = await ask(`from=${from}&to=${to}`)
      // Entries of reads may still come, with a later time.
      c.equal(
        last.map(one => one.id),
        ids.slice(0, 1),
        'entries at the time of the last',
      )
    },
  'LOG-501.revealed-only [management, applications]: the log has entries of reads and searches that revealed data, and of no others':
    async c => {
      const { id } = await c.token({ mask: 'X' })
      const [masked, revealed] = [
        await c.ruled('mask', allTokenPermissions),
        await c.ruled('reveal', allTokenPermissions),
      ]
      // The entries of the second come after those that the first would have.
      for (const { call } of [masked, revealed]) {
        await c.read(id, call)
        c.success(await call('GET', `/tokens?id=${id}`), 200, 'a list')
        c.success(await call('POST', '/tokens/search', { query: `id:${id}` }), 200, 'a search')
      }
      const entries = await c.eventually(async () => {
        const { data } = await c.get(`/logs?entity_id=${id}&size=100`)
        const reads: Entry[] = data.filter((one: Entry) => /read|search/.test(one.operation))
        return reads.filter(one => one.actor_id === revealed.id).length >= 3 ? reads : undefined
      }, 'entries of three reads')
      // Lists of other cases may have shown the token as well.
      c.equal(
        entries.filter(one => one.actor_id === masked.id),
        [],
        'entries of the caller under mask',
      )
    },
  'LOG-501.together [management, applications]: the log names each of several tokens that one request reveals':
    async c => {
      const ids = [(await c.token()).id, (await c.token()).id]
      const { id: actor, call } = await c.ruled('reveal', allTokenPermissions)
      c.success(await call('GET', `/tokens?${ids.map(id => `id=${id}`).join('&')}`), 200, 'a list')
      c.success(await call('POST', '/tokens/search', { query: ids.map(id => `id:${id}`).join(' OR ') }), 200)
      c.success(await call('POST', '/detokenize', { both: ids.map(id => `{{ ${id} }}`) }), 200)
      for (const id of ids) {
        await c.eventually(async () => {
          const { data } = await c.get(`/logs?entity_id=${id}&size=100`)
          const own = data.filter((one: Entry) => one.actor_id === actor && namedBy(one).includes(id))
          const done = new Set(own.map((one: Entry) => one.operation))
          return ['read', 'search', 'use'].every(name => done.has(`token:${name}`)) || undefined
        }, 'entries of a list, a search and a use that name it')
      }
    },
  'LOG-501.repeated-refusals [management, applications, clock]: refusals that repeat within a minute are counted together':
    async c => {
      const { id } = await c.token()
      const { call } = await c.ruled('reveal', allTokenPermissions, `${c.container}elsewhere/`)
      const refusals = 8
      for (let count = 0; count < refusals; count++) c.refused(await call('GET', `/tokens/${id}`), 403)
      await c.advance(3 * minute)
      // Each of several servers counts its own.
      const counts = await c.eventually(async () => {
        const { data } = await c.get(`/logs?entity_id=${id}&size=100`)
        const refused = data.filter((one: Entry) => one.outcome === 'refused')
        const found: number[] = refused.map((one: { count?: number }) => one.count ?? 1)
        return found.reduce((sum, count) => sum + count, 0) >= refusals ? found : undefined
      }, 'entries of all refusals')
      c.equal(
        counts.reduce((sum, count) => sum + count, 0),
        refusals,
        'the number of refusals',
      )
      c.ok(
        counts.includes(1) && counts.length < refusals,
        'the first is counted at once, and the rest together',
        counts,
      )
    },
})
