import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import type { Call } from '../../harness/target.ts'
import type { Cell } from './cell.ts'

type Request = readonly [call: Call, method: string, path: string, body?: unknown]

/** Responses of each form: resources with all their members, lists, results and a problem. */
const requests: Readonly<Record<string, { needs?: Cell['needs']; of(c: Context): Promise<Request> }>> = {
  token: {
    of: async c => {
      const metadata = { a: 'b' }
      const { id } = await c.token({
        mask: 'X',
        metadata,
        search_indexes: ['{{ data }}'],
        expires_at: '2099-01-01',
      })
      await c.patch(id, { metadata: { c: 'd' } })
      return [c.asPrivate, 'GET', `/tokens/${id}`]
    },
  },
  create: {
    of: async c => [c.asPrivate, 'POST', '/tokens', { type: 'token', data: 1, containers: [c.container] }],
  },
  update: {
    of: async c => [c.asPrivate, 'PATCH', `/tokens/${(await c.token()).id}`, { metadata: { a: 'b' } }],
  },
  list: { of: async c => [c.asPrivate, 'GET', `/tokens?id=${(await c.token()).id}`] },
  search: { of: async c => [c.asPrivate, 'POST', '/tokens/search', { query: `id:${(await c.token()).id}` }] },
  formula: {
    needs: ['management'],
    of: async c => [c.asManagement, 'GET', `/reactor-formulas/${(await c.formula()).id}`],
  },
  reactor: {
    needs: ['applications'],
    of: async c => {
      const { id } = await c.application({ permissions: ['token:read'] })
      return [c.asManagement, 'GET', `/reactors/${(await c.reactor({}, { application: { id } })).id}`]
    },
  },
  application: {
    needs: ['applications'],
    of: async c => [
      c.asManagement,
      'GET',
      `/applications/${(await c.application({ permissions: ['token:read'] })).id}`,
    ],
  },
  session: { needs: ['public'], of: async c => [c.asPublic, 'POST', '/sessions'] },
  logs: { needs: ['management'], of: async c => [c.asManagement, 'GET', '/logs?size=5'] },
  problem: { of: async c => [c.asPrivate, 'POST', '/tokens', { type: 'card', data: { number: 'x' } }] },
}

/** Responses have the members of the contract, and no others. */
export const knownMemberCases = cases(
  Object.entries(requests).map(
    ([name, { needs, of }]): Row => [
      `WIR-546.${name}${marked(needs)}: the response has only members that the contract names: ${name}`,
      async c => {
        const [call, method, path, body] = await of(c)
        const reply = await call(method, path, body)
        c.equal(c.contract.unknownMember(method, path, reply), undefined, 'a member of another name')
      },
    ],
  ),
)
