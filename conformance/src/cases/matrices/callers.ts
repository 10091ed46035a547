import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import type { Call, Reply } from '../../harness/target.ts'
import { allTokenPermissions, minute } from '../values.ts'
import type { Cell } from './cell.ts'
import { echoReactor, type Shown, tokenOf } from './ways.ts'

/** An operation on tokens, sent so that it succeeds for a caller that may do it. */
interface Operation {
  readonly permission: string
  readonly title: string
  readonly isCore: boolean
  readonly needs?: Cell['needs']
  send(c: Context, call: Call, token: Shown): Promise<Reply>
}

const described = (c: Context) => ({ type: 'token', data: 1, containers: [c.container] })

const operations: Readonly<Record<string, Operation>> = {
  create: {
    permission: 'token:create',
    title: 'creating a token',
    isCore: true,
    send: (c, call) => call('POST', '/tokens', described(c)),
  },
  list: {
    permission: 'token:read',
    title: 'listing',
    isCore: true,
    send: (_c, call) => call('GET', '/tokens'),
  },
  'list-by-id': {
    permission: 'token:read',
    title: 'listing by id',
    isCore: true,
    send: (_c, call, { id }) => call('GET', `/tokens?id=${id}`),
  },
  get: {
    permission: 'token:read',
    title: 'reading',
    isCore: true,
    send: (_c, call, { id }) => call('GET', `/tokens/${id}`),
  },
  search: {
    permission: 'token:search',
    title: 'searching',
    isCore: true,
    send: (_c, call) => call('POST', '/tokens/search', { query: 'type:token' }),
  },
  update: {
    permission: 'token:update',
    title: 'updating',
    isCore: true,
    send: (_c, call, { id }) => call('PATCH', `/tokens/${id}`, { metadata: { a: 'b' } }),
  },
  delete: {
    permission: 'token:delete',
    title: 'deleting',
    isCore: true,
    send: (_c, call, { id }) => call('DELETE', `/tokens/${id}`),
  },
  react: {
    permission: 'token:use',
    title: 'invoking a reactor',
    isCore: true,
    needs: ['management'],
    send: async (c, call, { id }) => c.react(await echoReactor(c), { args: { value: `{{ ${id} }}` } }, call),
  },
  tokenize: {
    permission: 'token:create',
    title: 'tokenizing',
    isCore: false,
    send: (c, call) => call('POST', '/tokenize', { made: described(c) }),
  },
  detokenize: {
    permission: 'token:use',
    title: 'detokenizing',
    isCore: false,
    send: (_c, call, { id }) => call('POST', '/detokenize', { value: `{{ ${id} }}` }),
  },
}

/** A caller that may not do what is asked. `of` gets the permission that the operation needs. */
interface Stranger {
  readonly core: string
  readonly surrogate: string
  readonly name: string
  readonly title: string
  readonly status: number
  readonly needs: Cell['needs']
  readonly control?: (c: Context, permission: string) => Promise<Call>
  of(c: Context, permission: string): Promise<Call>
}

const session = async (c: Context, permissions: readonly string[]) =>
  (await c.authorized({ permissions })).call
const others = (permission: string) => allTokenPermissions.filter(one => one !== permission)

const strangers: readonly Stranger[] = [
  {
    core: 'AUT-015',
    surrogate: 'ERR-520',
    name: 'unknown',
    title: 'a caller with an unknown key',
    status: 401,
    needs: [],
    of: async c => c.as(`key_prv_${c.tag}`),
  },
  {
    core: 'AUT-015',
    surrogate: 'ERR-520',
    name: 'none',
    title: 'a caller without a key',
    status: 401,
    needs: [],
    of: async c => (method, path, body) => c.as(undefined)(method, path, body, { plain: true }),
  },
  {
    core: 'SES-014',
    surrogate: 'SES-540',
    name: 'new',
    title: 'a session that is not authorized',
    status: 403,
    needs: ['public'],
    of: async c => c.as((await c.session()).session_key),
  },
  {
    core: 'SES-015',
    surrogate: 'SES-541',
    name: 'ungranted',
    title: 'a session with all other permissions',
    status: 403,
    needs: ['public'],
    control: (c, permission) => session(c, [permission]),
    of: (c, permission) => session(c, others(permission)),
  },
  {
    core: 'SES-016',
    surrogate: 'SES-542',
    name: 'ended',
    title: 'a session after its end',
    status: 401,
    needs: ['public', 'clock'],
    async of(c, permission) {
      const { key } = await c.shared(`ended session ${permission}`, async s => {
        const made = await s.authorized({ permissions: allTokenPermissions })
        s.success(await made.call('GET', '/tokens'), 200, 'the session before its end')
        await s.advance(3 * minute + 2000)
        return made
      })
      return c.as(key)
    },
  },
  {
    core: 'AUT-016',
    surrogate: 'ACC-542',
    name: 'lacking',
    title: 'an application with all other permissions',
    status: 403,
    needs: ['applications'],
    control: async (c, permission) => {
      const { key } = await c.shared(`only ${permission}`, s => s.application({ permissions: [permission] }))
      return c.as(key)
    },
    of: async (c, permission) => {
      const { key } = await c.shared(`all but ${permission}`, s =>
        s.application({ permissions: others(permission) }),
      )
      return c.as(key)
    },
  },
]

/** Sends each operation by each caller that may not do it, and checks that the token is as it was. */
export const callerCases = cases(
  strangers.flatMap(stranger =>
    Object.entries(operations).map(
      ([name, { permission, title, isCore, needs = [], send }]): Row => [
        `${isCore ? stranger.core : stranger.surrogate}.${stranger.name}-${name}${marked([...(stranger.needs ?? []), ...needs])}: ${stranger.title} is refused: ${title}`,
        async c => {
          const { token, data } = await c.shared('token of others', async s => ({
            token: await tokenOf(s, { data: s.tag }),
            data: s.tag,
          }))
          const reply = await send(c, await stranger.of(c, permission), token)
          c.refused(reply, stranger.status, title)
          c.ok(!reply.text.includes(data), 'the response shows no data', reply.text)
          if (stranger.control && name !== 'delete')
            c.success(await send(c, await stranger.control(c, permission), token), undefined, 'the control')
          c.equal((await c.read(token.id)).data, data, 'the token afterwards')
        },
      ],
    ),
  ),
)
