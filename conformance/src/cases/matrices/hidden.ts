import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { restricted } from '../../harness/finding.ts'
import type { Call } from '../../harness/target.ts'
import { card, hour, ssn } from '../values.ts'
import type { Cell } from './cell.ts'
import { expectData, expectGone, type Shown, tokenOf, type Way, ways } from './ways.ts'

/** Data of an object, a text and of no particular form. */
const kinds: Readonly<Record<string, Record<string, unknown>>> = {
  card: { type: 'card', data: card },
  ssn: { type: 'social_security_number', data: ssn },
  token: { data: { secret: 'value' } },
}

/** A state in which nobody gets a token's data by any way. */
interface Gone {
  readonly core?: string
  readonly surrogate?: string
  readonly name: string
  readonly title: string
  readonly needs: Cell['needs']
  make(s: Context, members: Record<string, unknown>): Promise<Shown>
  caller(c: Context): Call
}

const states: readonly Gone[] = [
  {
    core: 'TOK-046',
    surrogate: 'TOK-546',
    name: 'deleted',
    title: 'a deleted',
    needs: [],
    async make(s, members) {
      const token = await tokenOf(s, members)
      s.success(await s.asPrivate('DELETE', `/tokens/${token.id}`), 204)
      return token
    },
    caller: c => c.asPrivate,
  },
  {
    core: 'TOK-047',
    surrogate: 'TOK-547',
    name: 'expired',
    title: 'an hour after its expiry, a',
    needs: ['clock'],
    async make(s, members) {
      const token = await tokenOf(s, { ...members, expires_at: await s.later(hour) })
      await s.advance(2 * hour + 1000)
      return token
    },
    caller: c => c.asPrivate,
  },
  {
    core: 'AUT-013',
    surrogate: 'AUT-513',
    name: 'foreign',
    title: "another tenant's",
    needs: ['second-tenant'],
    make: tokenOf,
    caller: c => c.asOther,
  },
]

function goneCell(state: Gone, way: Way, kind: string): Row[] {
  const requirement = way.isCore ? state.core : state.surrogate
  // A reactor belongs to a tenant: another one cannot invoke it at all, which INV and AUT-012 check.
  if (!requirement || (state.name === 'foreign' && way.isRaw)) return []
  return [
    [
      `${requirement}.${way.name}-${kind}${marked([...(state.needs ?? []), ...way.needs])}: ${state.title} ${kind} does not exist: ${way.title}`,
      async c => {
        const token = await c.shared(`${state.name} ${kind}`, s => state.make(s, kinds[kind] ?? {}))
        await expectGone(c, way, state.caller(c), token, kinds[kind]?.data)
      },
    ],
  ]
}

const withCode = { type: 'card', data: { ...card, cvc: '123' } }
const oldCard = (c: Context) =>
  c.shared('card over its hour', async s => {
    const token = await tokenOf(s, withCode)
    const young = await s.read(token.id)
    s.equal(young.data?.cvc, '123', 'cvc before')
    await s.advance(hour + 1000)
    return token
  })

/** The code that is gone is absent or null. */
const withoutNull = (way: Way): Way => ({
  ...way,
  async look(...asked) {
    const seen = await way.look(...asked)
    return 'data' in seen ? { data: restricted(seen.data, seen.data) } : seen
  },
})

const codeCell = (way: Way): Row => [
  `${way.isCore ? 'DAT-011' : 'DAT-511'}.${way.name}${marked(['clock', ...way.needs])}: an hour after its creation a card has no cvc: ${way.title}`,
  async c => expectData(c, withoutNull(way), c.asPrivate, await oldCard(c), card),
]

/** Within its hour, the code is shown like the other members. */
const youngCell = (way: Way): Row => [
  `${way.isCore ? 'DAT-012' : 'DAT-512'}.${way.name}${marked(way.needs)}: within its hour a card has its cvc: ${way.title}`,
  async c => expectData(c, way, c.asPrivate, await tokenOf(c, withCode), withCode.data),
]

/** Tokens with and without a code, on one page. */
const mixedCell = cases({
  'DAT-012.list-mixed: within its hour a card has its cvc: a list with a token that has none': async c => {
    const [card, token] = [await c.token(withCode), await c.token()]
    const list = await c.get(`/tokens?id=${card.id}&id=${token.id}`, c.asPrivate)
    const data = Object.fromEntries(list.data.map((one: { id: string; data: unknown }) => [one.id, one.data]))
    c.equal([data[card.id], data[token.id]], [withCode.data, c.tag], 'data of both')
  },
})

/** Tokens that nobody may see any more, or not at all, by every way to their data. */
export const hiddenCases = cases([
  ...states.flatMap(state =>
    ways.flatMap(way =>
      // One type where only the lookup differs: webhooks take longest.
      Object.keys(kinds)
        .filter(kind => way.name !== 'webhook' || kind === 'card')
        .flatMap(kind => goneCell(state, way, kind)),
    ),
  ),
  ...ways.map(codeCell),
  ...ways.map(youngCell),
  ...mixedCell,
])
