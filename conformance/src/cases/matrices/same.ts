import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import type { Call } from '../../harness/target.ts'
import type { Cell } from './cell.ts'

type Body = Readonly<Record<string, unknown>>

/** A resource with all its members, once as it was made and once as it was changed. */
interface Made {
  readonly created: Body
  readonly createdRead: Body
  readonly updated: Body | undefined
  readonly read: Body
  readonly id: string
}

interface Resource {
  readonly path: string
  readonly needs: Cell['needs']
  readonly call: (c: Context) => Call
  readonly body: (s: Context) => Promise<Body>
  /** The change, by PATCH for a token, otherwise by PUT. */
  readonly method: 'PATCH' | 'PUT'
  readonly change: (s: Context, body: Body) => Body
  readonly lists: Readonly<Record<string, (c: Context, id: string) => Promise<readonly Body[]>>>
  /** Members that only the response to a create has, or that it shows otherwise. */
  readonly apart: readonly string[]
  /** Members that the resource has in the end. */
  readonly members: readonly string[]
}

const items = async (c: Context, call: Call, path: string): Promise<readonly Body[]> =>
  (await c.get(path, call))?.data ?? []
const stamps = ['created_by', 'created_at', 'modified_by', 'modified_at']

/** An application with all its members. */
export const application: Resource = {
  path: '/applications',
  needs: ['applications'],
  call: c => c.asManagement,
  method: 'PUT',
  body: async s => ({
    name: s.tag,
    type: 'private',
    permissions: ['token:read'],
    rules: [{ priority: 1, container: '/a/', transform: 'mask', permissions: ['token:read'] }],
    expires_at: '2099-01-01T00:00:00Z',
  }),
  change: s => ({
    name: `${s.tag} new`,
    permissions: ['token:search'],
    rules: [{ priority: 2, container: '/b/', transform: 'reveal', permissions: ['token:use'] }],
    expires_at: '2098-01-01T00:00:00Z',
  }),
  lists: {
    list: (c, id) =>
      items(c, c.asManagement, '/applications?size=100').then(all => all.filter(one => one.id === id)),
  },
  apart: ['key'],
  members: ['tenant_id', 'permissions', 'rules', 'expires_at', ...stamps],
}

const resources: Readonly<Record<string, Resource>> = {
  token: {
    path: '/tokens',
    needs: [],
    call: c => c.asPrivate,
    method: 'PATCH',
    body: async s => ({
      type: 'token',
      data: { a: s.tag },
      mask: { a: 'X' },
      containers: [s.container],
      metadata: { run: s.tag },
      search_indexes: ['{{ data.a }}'],
      fingerprint_expression: '{{ data.a }}',
      expires_at: '2099-01-01T00:00:00Z',
    }),
    change: s => ({
      data: { a: `${s.tag}2` },
      mask: { a: 'Y' },
      containers: [`${s.container}new/`],
      metadata: { run: `${s.tag}2` },
      search_indexes: ['{{ data.a }}x'],
      fingerprint_expression: '{{ data.a }}x',
      expires_at: '2098-01-01T00:00:00Z',
    }),
    lists: {
      list: (c, id) => items(c, c.asPrivate, `/tokens?id=${id}`),
      search: async (c, id) =>
        c.success(await c.asPrivate('POST', '/tokens/search', { query: `id:"${id}"` }), 200).body?.data ?? [],
    },
    apart: ['data'],
    members: [
      ...['mask', 'containers', 'metadata', 'search_indexes', 'fingerprint', 'fingerprint_expression'],
      ...['expires_at', ...stamps],
    ],
  },
  formula: {
    path: '/reactor-formulas',
    needs: ['management'],
    call: c => c.asManagement,
    method: 'PUT',
    body: async s => ({
      name: s.tag,
      description: 'One',
      type: 'private',
      icon: 'data:image/png;base64,iVBORw0KGgo=',
      code: 'module.exports = () => ({ raw: 1 })',
      configuration: [{ name: 'A', description: 'a', type: 'string' }],
      request_parameters: [{ name: 'b', description: 'b', type: 'number', optional: true }],
    }),
    change: (s, body) => ({
      ...body,
      name: `${s.tag} new`,
      description: 'Two',
      icon: 'data:image/jpeg;base64,iVBORw0KGgo=',
      code: '',
      configuration: [{ name: 'C', type: 'number' }],
      request_parameters: [],
    }),
    lists: {
      list: (c, id) =>
        items(c, c.asManagement, '/reactor-formulas?size=100').then(all => all.filter(one => one.id === id)),
    },
    apart: [],
    members: ['description', 'icon', 'status', ...stamps],
  },
  reactor: {
    path: '/reactors',
    needs: ['applications'],
    call: c => c.asManagement,
    method: 'PUT',
    body: async s => ({
      name: s.tag,
      formula: { id: (await s.formula({ configuration: [{ name: 'A', type: 'string' }] })).id },
      configuration: { A: 'one' },
      application: { id: (await s.application({ permissions: ['token:read'] })).id },
    }),
    change: (s, { application }) => ({ name: `${s.tag} new`, configuration: { A: 'two' }, application }),
    lists: { list: (c, id) => items(c, c.asManagement, `/reactors?id=${id}`) },
    apart: [],
    members: ['tenant_id', 'formula', 'application', 'configuration', ...stamps],
  },
  application,
}

const without = (body: Body, names: readonly string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))

const made = (c: Context, name: string, { path, call, body, method, change }: Resource): Promise<Made> =>
  c.shared(`whole ${name}`, async s => {
    const given = await body(s)
    const created = s.success(await call(s)('POST', path, given), 201).body
    s.ok(typeof created?.id === 'string', 'what was created has an id', created?.id)
    const at = `${path}/${created.id}`
    const read = async () => (await s.get(at, call(s))) as Body
    const createdRead = await read()
    const updated = s.success(await call(s)(method, at, change(s, given)), 200).body as Body
    return { created, createdRead, updated, read: await read(), id: created.id as string }
  })

const resourceCells = Object.entries(resources).flatMap(([name, resource]): Row[] => {
  const { lists, apart, members, needs, path, call } = resource
  const cell = (what: string, title: string, run: (c: Context, one: Made) => void | Promise<void>): Row => [
    `WIR-541.${name}-${what}${marked(needs)}: a ${name} is the same when it is read and ${title}`,
    async c => run(c, await made(c, name, resource)),
  ]
  return [
    cell('create', 'in the response to its create', (c, { created, createdRead }) =>
      c.equal(without(created, apart), without(createdRead, apart), 'the response'),
    ),
    cell('update', 'in the response to its update', (c, { updated, read }) =>
      c.equal(updated, read, 'the response'),
    ),
    cell('get', 'read once more, with all its members', async (c, { id, read }) => {
      const now = await c.get(`${path}/${id}`, call(c))
      c.equal(now, read, 'the resource')
      for (const member of members)
        c.ok(now[member] !== undefined && now[member] !== null, `it has ${member}`, now[member])
    }),
    ...Object.entries(lists).map(([how, list]) =>
      cell(how, `by a ${how}`, async (c, { id, read }) => c.equal(await list(c, id), [read], 'the items')),
    ),
  ]
})

/** Lists that can be narrowed to three items of their own. */
const counted: Readonly<
  Record<string, { readonly needs: Cell['needs']; ask(c: Context, page: string): Promise<Body> }>
> = {
  tokens: {
    needs: [],
    async ask(c, page) {
      const run = await c.shared('three tokens', async s => {
        for (let n = 0; n < 3; n++) await s.token({ metadata: { three: s.tag } })
        return s.tag
      })
      return await c.get(`/tokens?metadata.three=${run}&${page}`, c.asPrivate)
    },
  },
  formulas: {
    needs: ['management'],
    async ask(c, page) {
      const name = await c.shared('three formulas', async s => {
        for (let n = 0; n < 3; n++) await s.formula({ name: `three ${s.tag} ${n}` })
        return s.tag
      })
      return c.success(await c.asManagement('GET', `/reactor-formulas?name=three%20${name}*&${page}`), 200)
        .body
    },
  },
  reactors: {
    needs: ['management'],
    async ask(c, page) {
      const name = await c.shared('three reactors', async s => {
        const formula = { id: (await s.formula()).id }
        for (let n = 0; n < 3; n++) await s.reactor({}, { name: `three ${s.tag} ${n}`, formula })
        return s.tag
      })
      return await c.get(`/reactors?name=three%20${name}*&${page}`)
    },
  },
}

const pageCells = Object.entries(counted).flatMap(([name, { needs, ask }]) =>
  [1, 2, 3].map(
    (page): Row => [
      `PAG-540.${name}-${page}${marked(needs)}: pages of three ${name} are counted and in order: page ${page}`,
      async c => {
        const { pagination, data } = (await ask(c, `page=${page}&size=2`)) as {
          pagination: Body
          data: readonly Body[]
        }
        const { total_items, page_number, page_size, total_pages } = pagination
        c.equal([total_items, page_number, page_size, total_pages], [3, page, 2, 2], 'pagination')
        const all = (await ask(c, 'size=100')) as { data: readonly Body[] }
        c.equal(data, all.data.slice(page * 2 - 2, page * 2), 'items')
        const times = all.data.map(one => String(one.created_at))
        c.equal(times, [...times].sort().reverse(), 'the newest first')
      },
    ],
  ),
)

/** Each resource shows the same members with the same values in every operation. */
export const sameCases = cases([...resourceCells, ...pageCells])
