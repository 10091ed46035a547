import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context, MadeApplication } from '../../harness/context.ts'
import type { Call } from '../../harness/target.ts'
import { allTokenPermissions } from '../values.ts'
import type { Cell } from './cell.ts'
import { type ResourceName, resources } from './resources.ts'
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

/** Makes a resource, and does something with it. */
const about = (
  kind: ResourceName,
  entry: string,
  act: (c: Context, id: string, path: string) => Promise<unknown> = async () => {},
): Act => {
  const { entity, path, make } = resources[kind]
  return {
    entry,
    entity,
    async perform(c) {
      const { id } = await make(c)
      await act(c, id, `${path}/${id}`)
      return { id }
    },
  }
}

/** Sends a request as the caller that manages such resources, which is accepted. */
const sends =
  (method: string, more = '', body?: (c: Context) => object) =>
  async (c: Context, _id: string, path: string) => {
    const call = path.startsWith('/tokens') ? c.asPrivate : c.asManagement
    return c.success(await call(method, path + more, body?.(c))).body
  }

/** An act by another application than the one that made the resource. */
const byAnother = (
  kind: ResourceName,
  entry: string,
  other: (c: Context) => Promise<MadeApplication>,
  send: (c: Context, call: Call, path: string) => Promise<unknown>,
): Act => ({
  ...about(kind, entry),
  needs: ['applications'],
  async perform(c) {
    const { id } = await resources[kind].make(c)
    const { id: actor, call } = await other(c)
    await send(c, call, `${resources[kind].path}/${id}`)
    return { id, actor }
  },
})

/** Requests about one token, by permission. */
const refusals: Readonly<Record<string, (call: Call, path: string) => Promise<unknown>>> = {
  read: (call, path) => call('GET', path),
  update: (call, path) => call('PATCH', path, { metadata: { a: 'b' } }),
  delete: (call, path) => call('DELETE', path),
}

const acts: Readonly<Record<string, Act>> = {
  'create-token': about('token', 'token:create'),
  'tokenize-token': {
    entry: 'token:create',
    entity: 'token',
    perform: async c =>
      c.success(await c.asPrivate('POST', '/tokenize', { type: 'token', data: 1 }), 200).body,
  },
  'read-token': about('token', 'token:read', sends('GET')),
  'list-token': about('token', 'token:read', async (c, id) =>
    c.success(await c.asPrivate('GET', `/tokens?id=${id}`), 200),
  ),
  'search-token': about('token', 'token:search', (c, id) => c.search(`id:${id}`)),
  'detokenize-token': about('token', 'token:use', async (c, id) =>
    c.success(await c.asPrivate('POST', '/detokenize', `{{ ${id} }}`), 200),
  ),
  'react-token': about('token', 'token:use', async (c, id) =>
    c.success(await c.react(await echoReactor(c), { args: { a: `{{ ${id} }}` } }), 200),
  ),
  'update-token': about('token', 'token:update', sends('PATCH', '', resources.token.body)),
  'delete-token': about('token', 'token:delete', sends('DELETE')),
  ...Object.fromEntries(
    Object.entries(refusals).map(([verb, send]): [string, Act] => [
      `refused-${verb}`,
      {
        ...byAnother(
          'token',
          `token:${verb}`,
          c => c.ruled('reveal', allTokenPermissions, `${c.container}elsewhere/`),
          (_c, call, path) => send(call, path),
        ),
        outcome: 'refused',
      },
    ]),
  ),
  ...Object.fromEntries(
    (['token', 'formula', 'reactor'] as const).map((kind): [string, Act] => [
      `update-${kind}-of-another`,
      byAnother(
        kind,
        `${kind === 'token' ? 'token' : 'reactor'}:update`,
        c =>
          kind === 'token'
            ? c.ruled('mask', ['token:update'])
            : c.application({ permissions: ['reactor:update'] }, 'management'),
        async (c, call, path) =>
          c.success(await call(resources[kind].method, path, resources[kind].body(c)), 200, 'the update'),
      ),
    ]),
  ),
  'create-formula': about('formula', 'reactor:create'),
  'update-formula': about('formula', 'reactor:update', sends('PUT', '', resources.formula.body)),
  'delete-formula': about('formula', 'reactor:delete', sends('DELETE')),
  'create-reactor': about('reactor', 'reactor:create'),
  'put-reactor': about('reactor', 'reactor:update', sends('PUT', '', resources.reactor.body)),
  'patch-reactor': about(
    'reactor',
    'reactor:update',
    sends('PATCH', '', c => ({ name: c.tag })),
  ),
  'delete-reactor': about('reactor', 'reactor:delete', sends('DELETE')),
  'invoke-reactor': about('reactor', 'token:use', async (c, id) =>
    c.success(await c.react({ id }, { args: {} }), 200),
  ),
  'create-application': about('application', 'application:create'),
  'update-application': about(
    'application',
    'application:update',
    sends('PUT', '', resources.application.body),
  ),
  'regenerate-key': about('application', 'application:regenerate', sends('POST', '/regenerate')),
  'add-key': about('application', 'application:add_key', sends('POST', '/keys')),
  'revoke-key': about('application', 'application:revoke_key', async (c, id, path) => {
    const key = await sends('POST', '/keys')(c, id, path)
    await sends('DELETE', `/keys/${key.id}`)(c, id, path)
  }),
  'delete-application': about('application', 'application:delete', sends('DELETE')),
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
  ([name, { entry, entity, outcome = 'success', actorType = 'application', needs = [], perform }]): Row => [
    `LOG-501.${name}${marked(['management', ...needs, ...(entity === 'application' ? (['applications'] as const) : [])])}: the log has an entry ${entry}: ${name.replaceAll('-', ' ')}`,
    async c => {
      const { id, actor } = await perform(c)
      const ask = async (query: string) =>
        (await c.get(`/logs?entity_id=${id}&size=100${query}`)).data as readonly Entry[]
      const found = await c.eventually(
        async () => (await ask('')).find(one => one.operation === entry && one.outcome === outcome),
        `an entry ${entry}`,
      )
      c.equal([found.entity_type, found.actor_type], [entity, actorType], 'the entry')
      // A list of another case may have shown the token together with others.
      c.ok(namedBy(found).includes(id), 'it names the resource', namedBy(found))
      if (actor !== undefined) c.equal(found.actor_id, actor, 'its actor')
      const ofType = await ask(`&entity_type=${entity}`)
      c.ok(ofType.length > 0, 'it is found by the type of the resource', ofType)
      c.equal(await ask(`&entity_type=${entity === 'token' ? 'reactor' : 'token'}`), [], 'not by another')
    },
  ],
)

/** Entries of the log, by operation. */
export const logCases = cases(cells)
