import { cases, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { tokenTypes } from '../../harness/token-types.ts'
import { callerUnder, tokenOf } from './ways.ts'

/** Data before and after an update, and what follows from each. */
const changes = tokenTypes.map(({ examples: [before, after], ...type }) => ({
  ...type,
  before: before.data,
  patch: patchOf(before.data, after.data),
  after: after.data,
  masked: after.masked,
  found: after.found === undefined ? undefined : ([before.found, after.found] as const),
}))
type Change = (typeof changes)[number]

/** Returns the members of an object that change, or other data whole. */
function patchOf(before: unknown, after: unknown): unknown {
  if (typeof before !== 'object' || before === null) return after
  const old = before as Record<string, unknown>
  return Object.fromEntries(Object.entries(after as object).filter(([name, value]) => old[name] !== value))
}

const changed = (c: Context, { type, before, patch }: Change) =>
  c.shared(`changed ${type}`, async s => {
    const token = await tokenOf(s, { type, data: before })
    const { fingerprint } = await s.read(token.id)
    await s.patch(token.id, { data: patch })
    return { ...token, fingerprint }
  })

async function find(c: Context, id: string, query: string): Promise<readonly string[]> {
  const body = { query: `id:"${id}" AND ${query}` }
  return c.ids(c.success(await c.asPrivate('POST', '/tokens/search', body)).body)
}

/** True for a type of the specification whose data is one text, so that equal data has one spelling. */
const isPlain = ({ profile, after }: Change) => profile === 'core' && typeof after === 'string'

/** Returns a mask that the creator chose, in the specification's own filter, and the data under it. */
function ownMaskOf(change: Change): readonly [mask: unknown, masked: unknown] | undefined {
  if (isPlain(change)) return ['{{ data | last4 }}', String(change.after).slice(-4)]
  if (change.type === 'card') return [{ end: '{{ data.number | last4 }}' }, { end: '4444' }]
  if (change.type === 'bank') return [{ end: '{{ data.account_number | last4 }}' }, { end: '4321' }]
  return undefined
}

const ownMaskCells = changes.flatMap((change): Row[] => {
  const { type, before, patch } = change
  const [mask, masked] = ownMaskOf(change) ?? []
  if (mask === undefined) return []
  return [
    [
      `TOK-051.mask-${type} [masked-caller]: after an update a restricted read shows the new data of a ${type} under the mask`,
      async c => {
        const { id } = await c.shared(`changed ${type} with a mask`, async s => {
          const token = await tokenOf(s, { type, data: before, mask })
          await s.patch(token.id, { data: patch })
          return token
        })
        c.equal((await c.read(id, await callerUnder(c, 'mask'))).data, masked, 'masked data')
      },
    ],
  ]
})

const cells = changes.flatMap((change): Row[] => {
  const { type, after, masked, found } = change
  return [
    [
      `TYP-541.mask-${type} [masked-caller]: after an update a restricted read shows the new data of a ${type} under the mask of the type`,
      async c => {
        const { id } = await changed(c, change)
        c.equal((await c.read(id, await callerUnder(c, 'mask'))).data, masked, 'masked data')
      },
    ],
    [
      `${isPlain(change) ? 'TOK-052' : 'TYP-541'}.fingerprint-${type}: after an update a ${type} has the fingerprint of its new data`,
      async c => {
        const { id, fingerprint } = await changed(c, change)
        const now = (await c.read(id)).fingerprint
        c.equal(now, (await c.token({ type, data: after })).fingerprint, 'fingerprint')
        c.ok(now !== fingerprint, 'the fingerprint is another', now)
      },
    ],
    [
      `${isPlain(change) ? 'TOK-052' : 'TYP-541'}.fingerprint-found-${type}: after an update a ${type} is found by the fingerprint of its new data`,
      async c => {
        const { id, fingerprint } = await changed(c, change)
        const now = (await c.read(id)).fingerprint
        await c.settles(() => find(c, id, `fingerprint:"${now}"`), [id], 'found by the new one')
        await c.settles(() => find(c, id, `fingerprint:"${fingerprint}"`), [], 'found by the old one')
      },
    ],
    ...(found
      ? [
          [
            `SEA-540.data-${type}: after an update a ${type} is found by its new data, and not by the old`,
            async (c: Context) => {
              const { id } = await changed(c, change)
              await c.settles(() => find(c, id, `data:${found[1]}`), [id], 'found by the new')
              await c.settles(() => find(c, id, `data:${found[0]}`), [], 'found by the old')
            },
          ] satisfies Row,
        ]
      : []),
  ]
})

/** Updates whose result does not fit the type. */
const checkCells = changes.flatMap(({ type, before, refused }) =>
  Object.entries(refused).map(
    ([name, data]): Row => [
      `${['card', 'bank'].includes(type) ? 'DAT-013' : 'TYP-540'}.${type}-${name}: an update is refused if its result is not a valid ${type}: ${name.replaceAll('_', ' ')}`,
      async c => {
        const { id } = await c.shared(`unchanged ${type}`, s => tokenOf(s, { type, data: before }))
        c.refused(await c.asPrivate('PATCH', `/tokens/${id}`, { data }), 400, 'the update')
        c.equal((await c.read(id)).data, before, 'data afterwards')
      },
    ],
  ),
)

/** Values derived from data, after the data changed: masked data, fingerprints, indexes and checks. */
export const derivedCases = cases([...ownMaskCells, ...cells, ...checkCells])
