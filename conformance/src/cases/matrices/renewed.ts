import { cases, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'

type Members = Record<string, unknown>

/** Optional members of a token, and a search that finds a token by each. */
const optional: Readonly<
  Record<string, { readonly members: (c: Context) => Members; readonly query?: (c: Context) => string }>
> = {
  metadata: {
    members: c => ({ metadata: { run: c.tag } }),
    query: c => `metadata.run:${c.tag}`,
  },
  containers: {
    members: c => ({ containers: [`${c.container}own/`] }),
    query: c => `container:"${c.container}own/"`,
  },
  search_indexes: {
    members: () => ({ search_indexes: ['{{ data.index }}'] }),
    query: c => `data:"i${c.tag}"`,
  },
  mask: { members: () => ({ mask: { own: 'masked' } }) },
  fingerprint_expression: { members: () => ({ fingerprint_expression: '{{ data.index }}' }) },
  expires_at: { members: () => ({ expires_at: '2099-01-01T00:00:00Z' }) },
  deduplicate_token: { members: () => ({ deduplicate_token: true }) },
}

/** Members that differ from token to token. */
const unlike = ['id', 'created_at', 'fingerprint']

const rest = (token: Members) =>
  Object.fromEntries(
    Object.entries(token).filter(([name, value]) => value !== null && !unlike.includes(name)),
  )

/** Makes a token under an id, deletes it, and makes another one. Resolves with the second and with one of another id. */
async function renew(c: Context, [first, second]: readonly [Members, Members]) {
  const [id, data] = [`${c.tag}-again`, { index: `i${c.tag}` }]
  const make = (members: Members) => c.token({ data, containers: undefined, ...members })
  await make({ ...first, id })
  c.success(await c.asPrivate('DELETE', `/tokens/${id}`), 204, 'deleting the first')
  await make({ ...second, id })
  const fresh = await make({ ...second, deduplicate_token: undefined })
  return { id, renewed: await c.read(id), fresh: await c.read(fresh.id), freshId: fresh.id as string }
}

const cells = Object.entries(optional).flatMap(([name, { members, query }]): Row[] => {
  const both = [
    ['without', (c: Context): readonly [Members, Members] => [members(c), {}]],
    ['with', (c: Context): readonly [Members, Members] => [{}, members(c)]],
  ] as const
  return both.flatMap(([way, given]): Row[] => [
    [
      `TOK-037.renewed-${way}-${name}: a token under the id of a deleted one has nothing of it: made again ${way} ${name}`,
      async c => {
        const { renewed, fresh } = await renew(c, given(c))
        c.equal(rest(renewed), rest(fresh), 'the token, beside one of another id')
      },
    ],
    ...(query
      ? [
          [
            `TOK-037.renewed-found-${way}-${name}: a token under the id of a deleted one is found by its own members: made again ${way} ${name}`,
            async (c: Context) => {
              const { id, freshId } = await renew(c, given(c))
              const ask = async () =>
                c.ids(c.success(await c.asPrivate('POST', '/tokens/search', { query: query(c) }), 200).body)
              const expected = way === 'with' ? [freshId, id] : []
              await c.settles(ask, expected, 'what is found')
            },
          ] satisfies Row,
        ]
      : []),
  ])
})

/** What is made under a name that was used before has nothing of what had it. */
export const renewedCases = cases(cells)
