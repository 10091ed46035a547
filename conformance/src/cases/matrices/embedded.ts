import { cases, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { application } from './same.ts'

type Body = Readonly<Record<string, unknown>>

/** Returns an application that was changed, its path and its key. */
async function changedApplication(c: Context) {
  const made = c.success(await c.asManagement('POST', '/applications', await application.body(c)), 201).body
  const path = `/applications/${made.id}`
  const own = c.as(made.key)
  const first = (await c.get('/applications/key', own)) as Body
  c.equal(first, await c.get(path), 'by its own key')
  c.success(await c.asManagement('PUT', path, application.change(c, made)), 200)
  return { path, own }
}

const read = async (c: Context, path: string): Promise<Body> => await c.get(path)

const applicationCells = cases({
  'WIR-541.application-key [applications]: an application is the same when it is read by its own key, before and after a change':
    async c => {
      const { path, own } = await changedApplication(c)
      c.equal(await c.get('/applications/key', own), await read(c, path), 'by its own key')
    },
  'WIR-541.application-regenerate [applications]: an application is the same in the response with its new key':
    async c => {
      const { path } = await changedApplication(c)
      const { key, ...shown } = c.success(await c.asManagement('POST', `${path}/regenerate`), 200).body
      c.ok(typeof key === 'string', 'it has a key', key)
      c.equal(shown, await read(c, path), 'the rest')
    },
  'PAG-540.applications [applications]: pages of applications are counted, whole and in order': async c => {
    for (let made = 0; made < 2; made++) await c.application({ permissions: ['token:read'] })
    // Other cases create applications at the same time, so each page is compared with itself.
    for (const [page, size] of [
      [1, 1],
      [2, 1],
      [1, 100],
    ] as const) {
      const reply = await c.asManagement('GET', `/applications?page=${page}&size=${size}`)
      const { data, pagination } = c.success(reply, 200).body as { data: readonly Body[]; pagination: Body }
      const total = Number(pagination.total_items)
      const expected = {
        total_items: total,
        page_number: page,
        page_size: size,
        total_pages: Math.ceil(total / size),
      }
      c.equal(pagination, expected, 'pagination')
      c.equal(data.length, Math.min(size, total), 'the number of items')
      const times = data.map(one => String(one.created_at))
      c.equal(times, [...times].sort().reverse(), 'the newest first')
    }
  },
})

/** Lists in which official formulas, which are older, follow those of the tenant. */
const wholeListCell = cases({
  'PAG-540.formulas-whole [management, second-tenant]: pages of one formula each contain all formulas, in their order':
    async c => {
      const list = async (query: string) =>
        c.ids(await c.get(`/reactor-formulas?${query}`, c.asOtherManagement))
      // Repeated if another case has changed the formulas of that tenant meanwhile.
      const [all, pages] = await c.eventually(async () => {
        const before = await list('size=100')
        const found: string[] = []
        for (let page = 1; page <= before.length + 1; page++)
          found.push(...(await list(`size=1&page=${page}`)))
        const after = await list('size=100')
        return JSON.stringify(before) === JSON.stringify(after) ? ([before, found] as const) : undefined
      }, 'a list that stays the same')
      c.equal(pages, all, 'the formulas of all pages')
    },
})

/** Operations that show a reactor with its formula and application. */
const reactorViews: Readonly<Record<string, (c: Context, id: string) => Promise<Body>>> = {
  get: (c, id) => read(c, `/reactors/${id}`),
  list: async (c, id) => (await c.get(`/reactors?id=${id}`)).data[0],
  put: async (c, id) => {
    const { name, configuration, application } = await read(c, `/reactors/${id}`)
    const body = { name, configuration, application: { id: (application as Body).id } }
    return c.success(await c.asManagement('PUT', `/reactors/${id}`, body), 200).body
  },
}
const reactorCells = Object.entries(reactorViews).map(
  ([name, view]): Row => [
    `REA-502.embedded-${name} [applications]: a reactor contains its formula and application as they are now: ${name}`,
    async c => {
      const formula = await c.formula()
      const application = await c.application({ permissions: ['token:read'] })
      const { id } = await c.reactor({}, { formula: { id: formula.id }, application: { id: application.id } })
      const paths = {
        formula: `/reactor-formulas/${formula.id}`,
        application: `/applications/${application.id}`,
      }
      const check = async (when: string) => {
        const shown = await view(c, id)
        c.equal(shown.formula, await read(c, paths.formula), `the formula ${when}`)
        c.equal(shown.application, await read(c, paths.application), `the application ${when}`)
      }
      await check('as made')
      const next = {
        name: `${c.tag} new`,
        type: 'private',
        code: 'c',
        configuration: [],
        request_parameters: [],
      }
      c.success(await c.asManagement('PUT', paths.formula, next), 200)
      const rights = { name: `${c.tag} new`, permissions: ['token:search'] }
      c.success(await c.asManagement('PUT', paths.application, rights), 200)
      await check('as changed')
    },
  ],
)

const duplicateCell = cases({
  'TOK-501.readable: a create with deduplication shows the existing token with all its members': async c => {
    const { id } = await c.token({
      mask: 'X',
      metadata: { a: 'b' },
      search_indexes: ['{{ data }}'],
      expires_at: '2099-01-01T00:00:00Z',
    })
    await c.patch(id, { metadata: { c: 'd' } })
    const { data: _data, ...existing } = await c.read(id)
    const body = { type: 'token', data: c.tag, containers: [c.container], deduplicate_token: true }
    const { data, ...shown } = c.success(await c.asPrivate('POST', '/tokens', body), 200).body
    c.equal(shown, existing, 'the token')
    c.equal(data, 'X', 'its data')
    const counts = { total_items: 1, page_number: 1, page_size: 1, total_pages: 1 }
    const search = () => c.asPrivate('POST', '/tokens/search', { query: `id:${id}`, size: 1 })
    const pagination = async () => c.success(await search(), 200).body.pagination
    await c.settles(pagination, counts, 'pagination of a search')
  },
})

/** Resources that others contain, or show. */
export const embeddedCases = cases([...applicationCells, ...wholeListCell, ...reactorCells, ...duplicateCell])
