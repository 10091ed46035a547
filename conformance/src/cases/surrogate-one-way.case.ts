import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'
import { allTokenPermissions } from './values.ts'

interface Shown {
  readonly id: string
  readonly data?: unknown
  readonly one_way?: boolean
}

/** Creates a one-way token whose mask is X, and one that is not. */
const both = async (c: Context) => {
  const members = { mask: 'X', search_indexes: ['{{ data }}'] }
  return [await c.token({ ...members, one_way: true }), await c.token(members)] as const
}

/** Tokens whose data nobody sees. */
export const oneWayCases = cases({
  'TOK-555.a': [
    'a rule that reveals shows the mask of a one-way token',
    async c => {
      const [token, other] = await both(c)
      c.equal([token.one_way, token.data, other.one_way ?? false], [true, 'X', false], 'the new tokens')
      const { call } = await c.ruled('reveal', allTokenPermissions)
      const search = { query: `data:"${c.tag}"` }
      const listed = (list: { data: Shown[] }, id: string) => list.data.find(one => one.id === id)
      const shown = async (id: string) => {
        const tokens: (Shown | undefined)[] = [
          await c.read(id, call),
          listed(await c.get(`/tokens?id=${id}`, call), id),
          listed(c.success(await call('POST', '/tokens/search', search), 200).body, id),
          c.success(await call('PATCH', `/tokens/${id}`, { metadata: { a: 'b' } }), 200).body,
        ]
        const filled = c.success(await call('POST', '/detokenize', [`{{ ${id} }}`]), 200).body
        return [...tokens.map(one => [one?.data, one?.one_way ?? false]), filled[0]]
      }
      c.equal(await shown(token.id), [...Array(4).fill(['X', true]), 'X'], 'a one-way token')
      c.equal(await shown(other.id), [...Array(4).fill([c.tag, false]), c.tag], 'another token')
    },
  ],
  'TOK-556.a': [
    'a one-way token remains one, with the mask that it has',
    async c => {
      const [{ id }, other] = await both(c)
      for (const patch of [
        { mask: '{{ data }}' },
        { mask: null },
        { search_indexes: [] },
        { fingerprint_expression: '{{ data | last4 }}' },
      ]) {
        const what = JSON.stringify(patch)
        c.refused(await c.asPrivate('PATCH', `/tokens/${id}`, patch), 403, what)
        c.success(await c.asPrivate('PATCH', `/tokens/${other.id}`, patch), 200, `${what} of another token`)
      }
      const changed = c.success(await c.asPrivate('PATCH', `/tokens/${id}`, { data: `${c.tag} new` }), 200)
      c.equal([changed.body.one_way, changed.body.data], [true, 'X'], 'after a change of its data')
    },
  ],
  'TOK-557.a': [
    'a formula gets no data of a one-way token',
    async c => {
      const [token, other] = await both(c)
      const reactor = await c.reactor()
      const react = (id: string) => c.react(reactor, { args: { value: `{{ ${id} }}` } })
      c.refused(await react(token.id), 403)
      c.success(await react(other.id), 200, 'data of another token')
    },
  ],
  'TOK-558.a': [
    'a one-way token and one that is not are no duplicates of each other',
    async c => {
      const [token, other] = await both(c)
      c.equal(token.fingerprint, other.fingerprint, 'the fingerprint')
      const create = async (one_way: boolean) =>
        (await c.token({ data: `${c.tag} once`, deduplicate_token: true, one_way })).id
      const [open, closed] = [await create(false), await create(true)]
      c.ok(open !== closed, 'a one-way token is made beside one that is not')
      const body = (one_way: boolean) => ({
        ...{ type: 'token', data: `${c.tag} once`, containers: [c.container] },
        ...{ deduplicate_token: true, one_way },
      })
      for (const [one_way, id] of [
        [false, open],
        [true, closed],
      ] as const) {
        const again = c.success(await c.asPrivate('POST', '/tokens', body(one_way)), 200).body
        c.equal(again.id, id, `the duplicate of ${one_way}`)
      }
    },
  ],
})
