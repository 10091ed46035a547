import { cases, type Row } from '../../harness/case.ts'
import type { Context, MadeApplication } from '../../harness/context.ts'
import { hour } from '../values.ts'

/** The two applications that a session depends on. */
const parts = ['creator', 'authorizer'] as const

/** How an application ends, by what an application of that kind is made with. */
const ends = {
  deleted: {
    members: async () => ({}),
    end: async (c: Context, { id }: MadeApplication) => {
      c.success(await c.asManagement('DELETE', `/applications/${id}`), 204)
    },
  },
  expired: {
    members: async (c: Context) => ({ expires_at: await c.later(hour) }),
    end: (c: Context) => c.advance(hour + 1000),
  },
} as const

const cells = parts.flatMap(part =>
  Object.entries(ends).map(
    ([name, { members, end }]): Row => [
      `SES-544.${part}-${name}: a session ends when its ${part} is ${name}`,
      async c => {
        const rights = { permissions: ['token:create'] }
        const make = async (of: string, type: string) =>
          c.application({ ...rights, ...(of === part ? await members(c) : {}) }, type)
        const [creator, authorizer] = [await make('creator', 'public'), await make('authorizer', 'private')]
        const { nonce, session_key } = c.success(await creator.call('POST', '/sessions'), 201).body
        const grant = { nonce, ...rights, expires_at: await c.later(3 * hour) }
        c.success(await authorizer.call('POST', '/sessions/authorize', grant), 200, 'the authorization')
        const create = () =>
          c.as(session_key)('POST', '/tokens', { type: 'token', data: 1, containers: [c.container] })
        c.success(await create(), 201, 'the session before')
        await end(c, part === 'creator' ? creator : authorizer)
        c.refused(await create(), 401, 'the session afterwards')
      },
    ],
  ),
)

/** Rights that an authorizer loses, its sessions lose. */
const lostCell = cases({
  'SES-544.authorizer-changed: a session loses what its authorizer loses': async c => {
    const authorizer = await c.application({ permissions: ['token:create'] })
    const { nonce, session_key } = await c.session()
    const grant = { nonce, permissions: ['token:create'] }
    c.success(await authorizer.call('POST', '/sessions/authorize', grant), 200, 'the authorization')
    const create = () =>
      c.as(session_key)('POST', '/tokens', { type: 'token', data: 1, containers: [c.container] })
    c.success(await create(), 201, 'the session before')
    const less = { name: c.tag, permissions: ['token:read'] }
    c.success(await c.asManagement('PUT', `/applications/${authorizer.id}`, less), 200)
    c.refused(await create(), 403, 'the session afterwards')
  },
})

/** Sessions whose applications end. */
export const endedSessionCases = cases([...cells, ...lostCell])
