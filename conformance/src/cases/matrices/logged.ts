import type { Context } from '../../harness/context.ts'
import { allTokenPermissions } from '../values.ts'
import { type Cell, matrix } from './cell.ts'
import { echoReactor } from './ways.ts'

export interface Entry {
  readonly operation: string
  readonly entity_type: string
  readonly entity_id?: string
  /** Where one entry stands for several resources. */
  readonly entity_ids?: readonly string[]
  readonly actor_id?: string
  readonly actor_type: string
  readonly outcome: string
}

/** The resources that an entry names. */
export const namedBy = ({ entity_id, entity_ids = [] }: Entry): readonly string[] =>
  entity_id === undefined ? entity_ids : [entity_id, ...entity_ids]

interface Done {
  readonly id: string
  readonly actor?: string
}

/** Does something, and returns the id of the resource of its entry. */
interface Act {
  readonly entry: string
  readonly entity: string
  readonly outcome?: string
  readonly actorType?: string
  readonly needs?: Cell['needs']
  perform(c: Context): Promise<Done>
}

const made = (c: Context) => c.token()
const application = (c: Context) => c.application({ permissions: ['token:read'] })

/** Refusals of each operation on one token. */
const refusals: Readonly<Record<string, (c: Context, key: string, id: string) => Promise<unknown>>> = {
  read: (c, key, id) => c.as(key)('GET', `/tokens/${id}`),
  update: (c, key, id) => c.as(key)('PATCH', `/tokens/${id}`, { metadata: { a: 'b' } }),
  delete: (c, key, id) => c.as(key)('DELETE', `/tokens/${id}`),
}

/** Resources that another application than their own updates. */
const takenOver: Readonly<
  Record<
    string,
    {
      readonly entity: string
      readonly path: string
      make(c: Context): Promise<{ readonly id: string }>
      body(c: Context): object
    }
  >
> = {
  token: { entity: 'token', path: '/tokens', make: made, body: () => ({ metadata: { a: 'b' } }) },
  formula: {
    entity: 'reactor_formula',
    path: '/reactor-formulas',
    make: c => c.formula(),
    body: c => ({ name: c.tag, type: 'private', code: 'c', configuration: [], request_parameters: [] }),
  },
  reactor: {
    entity: 'reactor',
    path: '/reactors',
    make: c => c.reactor(),
    body: c => ({ name: c.tag, configuration: {} }),
  },
}

const acts: Readonly<Record<string, Act>> = {
  'create-token': { entry: 'token:create', entity: 'token', perform: made },
  'tokenize-token': {
    entry: 'token:create',
    entity: 'token',
    perform: async c =>
      c.success(await c.asPrivate('POST', '/tokenize', { type: 'token', data: 1 }), 200).body,
  },
  'read-token': {
    entry: 'token:read',
    entity: 'token',
    async perform(c) {
      const { id } = await made(c)
      await c.read(id)
      return { id }
    },
  },
  'list-token': {
    entry: 'token:read',
    entity: 'token',
    async perform(c) {
      const { id } = await made(c)
      c.success(await c.asPrivate('GET', `/tokens?id=${id}`), 200)
      return { id }
    },
  },
  'search-token': {
    entry: 'token:search',
    entity: 'token',
    async perform(c) {
      const { id } = await made(c)
      await c.search(`id:${id}`)
      return { id }
    },
  },
  'detokenize-token': {
    entry: 'token:use',
    entity: 'token',
    async perform(c) {
      const { id } = await made(c)
      c.success(await c.asPrivate('POST', '/detokenize', `{{ ${id} }}`), 200)
      return { id }
    },
  },
  'react-token': {
    entry: 'token:use',
    entity: 'token',
    async perform(c) {
      const { id } = await made(c)
      c.success(await c.react(await echoReactor(c), { args: { a: `{{ ${id} }}` } }), 200)
      return { id }
    },
  },
  'update-token': {
    entry: 'token:update',
    entity: 'token',
    async perform(c) {
      const { id } = await made(c)
      await c.patch(id, { metadata: { a: 'b' } })
      return { id }
    },
  },
  'delete-token': {
    entry: 'token:delete',
    entity: 'token',
    async perform(c) {
      const { id } = await made(c)
      c.success(await c.asPrivate('DELETE', `/tokens/${id}`), 204)
      return { id }
    },
  },
  ...Object.fromEntries(
    Object.entries(refusals).flatMap(([verb, send]): [string, Act][] => [
      [
        `refused-${verb}`,
        {
          entry: `token:${verb}`,
          entity: 'token',
          outcome: 'refused',
          needs: ['applications'],
          async perform(c) {
            const { id } = await made(c)
            const elsewhere = await c.ruled('reveal', allTokenPermissions, `${c.container}elsewhere/`)
            await send(c, elsewhere.key, id)
            return { id, actor: elsewhere.id }
          },
        },
      ],
    ]),
  ),
  'create-formula': {
    entry: 'reactor:create',
    entity: 'reactor_formula',
    perform: c => c.formula(),
  },
  'update-formula': {
    entry: 'reactor:update',
    entity: 'reactor_formula',
    async perform(c) {
      const { id } = await c.formula()
      const body = { name: c.tag, type: 'private', code: 'c', configuration: [], request_parameters: [] }
      c.success(await c.asManagement('PUT', `/reactor-formulas/${id}`, body), 200)
      return { id }
    },
  },
  ...Object.fromEntries(
    Object.entries(takenOver).map(([kind, { entity, make, path, body }]): [string, Act] => [
      `update-${kind}-of-another`,
      {
        entry: `${entity === 'token' ? 'token' : 'reactor'}:update`,
        entity,
        needs: ['applications'],
        async perform(c) {
          const { id } = await make(c)
          const other =
            entity === 'token'
              ? await c.ruled('mask', ['token:update'])
              : await c.application({ permissions: ['reactor:update'] }, 'management')
          const method = entity === 'token' ? 'PATCH' : 'PUT'
          c.success(await other.call(method, `${path}/${id}`, body(c)), 200)
          return { id, actor: other.id }
        },
      },
    ]),
  ),
  'delete-formula': {
    entry: 'reactor:delete',
    entity: 'reactor_formula',
    async perform(c) {
      const { id } = await c.formula()
      c.success(await c.asManagement('DELETE', `/reactor-formulas/${id}`), 204)
      return { id }
    },
  },
  'create-reactor': { entry: 'reactor:create', entity: 'reactor', perform: c => c.reactor() },
  'put-reactor': {
    entry: 'reactor:update',
    entity: 'reactor',
    async perform(c) {
      const { id } = await c.reactor()
      c.success(await c.asManagement('PUT', `/reactors/${id}`, { name: c.tag, configuration: {} }), 200)
      return { id }
    },
  },
  'patch-reactor': {
    entry: 'reactor:update',
    entity: 'reactor',
    async perform(c) {
      const { id } = await c.reactor()
      c.success(await c.asManagement('PATCH', `/reactors/${id}`, { name: c.tag }), 204)
      return { id }
    },
  },
  'delete-reactor': {
    entry: 'reactor:delete',
    entity: 'reactor',
    async perform(c) {
      const { id } = await c.reactor()
      c.success(await c.asManagement('DELETE', `/reactors/${id}`), 204)
      return { id }
    },
  },
  'invoke-reactor': {
    entry: 'token:use',
    entity: 'reactor',
    async perform(c) {
      const { id } = await c.reactor()
      c.success(await c.react({ id }, { args: {} }), 200)
      return { id }
    },
  },
  'create-application': { entry: 'application:create', entity: 'application', perform: application },
  'update-application': {
    entry: 'application:update',
    entity: 'application',
    async perform(c) {
      const { id } = await application(c)
      const body = { name: c.tag, permissions: ['token:read'] }
      c.success(await c.asManagement('PUT', `/applications/${id}`, body), 200)
      return { id }
    },
  },
  'regenerate-key': {
    entry: 'application:regenerate',
    entity: 'application',
    async perform(c) {
      const { id } = await application(c)
      c.success(await c.asManagement('POST', `/applications/${id}/regenerate`), 200)
      return { id }
    },
  },
  'add-key': {
    entry: 'application:add_key',
    entity: 'application',
    async perform(c) {
      const { id } = await application(c)
      c.success(await c.asManagement('POST', `/applications/${id}/keys`), 201)
      return { id }
    },
  },
  'revoke-key': {
    entry: 'application:revoke_key',
    entity: 'application',
    async perform(c) {
      const { id } = await application(c)
      const key = c.success(await c.asManagement('POST', `/applications/${id}/keys`), 201).body
      c.success(await c.asManagement('DELETE', `/applications/${id}/keys/${key.id}`), 204)
      return { id }
    },
  },
  'delete-application': {
    entry: 'application:delete',
    entity: 'application',
    async perform(c) {
      const { id } = await application(c)
      c.success(await c.asManagement('DELETE', `/applications/${id}`), 204)
      return { id }
    },
  },
  'session-token': {
    entry: 'token:create',
    entity: 'token',
    actorType: 'session',
    needs: ['public'],
    async perform(c) {
      const { call } = await c.authorized({ permissions: ['token:create'] })
      return c.token({}, call)
    },
  },
}

const cells = Object.entries(acts).map(
  ([name, { entry, entity, outcome = 'success', actorType = 'application', needs = [], perform }]): Cell => ({
    requirement: 'LOG-501',
    name,
    title: `the log has an entry ${entry}: ${name.replaceAll('-', ' ')}`,
    needs: ['management', ...needs, ...(entity === 'application' ? (['applications'] as const) : [])],
    async run(c) {
      const { id, actor } = await perform(c)
      const ask = async (query: string) =>
        c.success(await c.asManagement('GET', `/logs?entity_id=${id}&size=100${query}`), 200).body
          .data as readonly Entry[]
      const found = await c.eventually(
        async () => (await ask('')).find(one => one.operation === entry && one.outcome === outcome),
        `an entry ${entry}`,
      )
      c.equal([found.entity_type, found.actor_type], [entity, actorType], 'the entry')
      // A list of another case may have shown the token together with others.
      c.ok(namedBy(found).includes(id), 'it names the resource')
      if (actor !== undefined) c.equal(found.actor_id, actor, 'its actor')
      c.ok((await ask(`&entity_type=${entity}`)).length > 0, 'it is found by the type of the resource')
      c.equal(await ask(`&entity_type=${entity === 'token' ? 'reactor' : 'token'}`), [], 'not by another')
    },
  }),
)

/** Entries of the log, by operation. */
export const logCases = matrix(cells)
