import type { Context } from '../../harness/context.ts'
import { bank, card, ssn } from '../values.ts'
import { type Cell, matrix } from './cell.ts'
import { callerUnder, tokenOf } from './ways.ts'

/** Data before and after an update, and what follows from each. */
interface Change {
  readonly type: string
  readonly before: unknown
  readonly patch: unknown
  readonly after: unknown
  /** The data under the default mask of the type. */
  readonly masked: unknown
  /** Values of its default indexes. */
  readonly found?: readonly [before: string, after: string]
}

const changes: readonly Change[] = [
  { type: 'token', before: 'first value', patch: 'second value', after: 'second value', masked: undefined },
  {
    type: 'card',
    before: card,
    patch: { number: '5555555555554444' },
    after: { ...card, number: '5555555555554444' },
    masked: { ...card, number: 'XXXXXXXXXXXX4444' },
  },
  {
    type: 'bank',
    before: bank,
    patch: { account_number: '987654321' },
    after: { ...bank, account_number: '987654321' },
    masked: { ...bank, account_number: 'XXXXX4321' },
  },
  {
    type: 'card_number',
    before: card.number,
    patch: '5555555555554444',
    after: '5555555555554444',
    masked: 'XXXXXXXXXXXX4444',
  },
  {
    type: 'us_bank_account_number',
    before: '12345678',
    patch: '87654321',
    after: '87654321',
    masked: 'XXXX4321',
  },
  {
    type: 'us_bank_routing_number',
    before: '110000000',
    patch: '021000021',
    after: '021000021',
    masked: 'XXXXX0021',
  },
  {
    type: 'social_security_number',
    before: ssn,
    patch: '219-09-9999',
    after: '219-09-9999',
    masked: 'XXX-XX-9999',
    found: ['1120', '9999'],
  },
  {
    type: 'employer_id_number',
    before: '12-3456789',
    patch: '98-7654321',
    after: '98-7654321',
    masked: 'XX-XXX4321',
    found: ['6789', '4321'],
  },
]

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

/** Types that the specification names and whose data is one text, so that equal data has one spelling. */
const isPlain = (type: string) =>
  ['token', 'card_number', 'social_security_number', 'employer_id_number'].includes(type)

/** Masks that the creator chose, in the specification's own filter. */
const ownMasks: Readonly<Record<string, readonly [mask: unknown, masked: unknown]>> = {
  token: ['{{ data | last4 }}', 'alue'],
  card: [{ end: '{{ data.number | last4 }}' }, { end: '4444' }],
  bank: [{ end: '{{ data.account_number | last4 }}' }, { end: '4321' }],
  card_number: ['{{ data | last4 }}', '4444'],
  social_security_number: ['{{ data | last4 }}', '9999'],
  employer_id_number: ['{{ data | last4 }}', '4321'],
}

const ownMaskCells = changes.flatMap(({ type, before, patch }): Cell[] => {
  const [mask, masked] = ownMasks[type] ?? []
  if (mask === undefined) return []
  return [
    {
      requirement: 'TOK-051',
      name: `mask-${type}`,
      title: `after an update a restricted read shows the new data of a ${type} under the mask`,
      needs: ['masked-caller'],
      async run(c) {
        const { id } = await c.shared(`changed ${type} with a mask`, async s => {
          const token = await tokenOf(s, { type, data: before, mask })
          await s.patch(token.id, { data: patch })
          return token
        })
        c.equal((await c.read(id, await callerUnder(c, 'mask'))).data, masked, 'masked data')
      },
    },
  ]
})

const cells = changes.flatMap((change): Cell[] => {
  const { type, after, masked, found } = change
  return [
    {
      requirement: 'TYP-541',
      name: `mask-${type}`,
      title: `after an update a restricted read shows the new data of a ${type} under the mask of the type`,
      needs: ['masked-caller'],
      async run(c) {
        const { id } = await changed(c, change)
        c.equal((await c.read(id, await callerUnder(c, 'mask'))).data, masked, 'masked data')
      },
    },
    {
      requirement: isPlain(type) ? 'TOK-052' : 'TYP-541',
      name: `fingerprint-${type}`,
      title: `after an update a ${type} has the fingerprint of its new data`,
      async run(c) {
        const { id, fingerprint } = await changed(c, change)
        const now = (await c.read(id)).fingerprint
        c.equal(now, (await c.token({ type, data: after })).fingerprint, 'fingerprint')
        c.ok(now !== fingerprint, 'it is another')
        await c.settles(() => find(c, id, `fingerprint:"${now}"`), [id], 'found by the new one')
        await c.settles(() => find(c, id, `fingerprint:"${fingerprint}"`), [], 'found by the old one')
      },
    },
    ...(found
      ? [
          {
            requirement: 'SEA-540',
            name: `data-${type}`,
            title: `after an update a ${type} is found by its new data, and not by the old`,
            async run(c: Context) {
              const { id } = await changed(c, change)
              await c.settles(() => find(c, id, `data:${found[1]}`), [id], 'found by the new')
              await c.settles(() => find(c, id, `data:${found[0]}`), [], 'found by the old')
            },
          },
        ]
      : []),
  ]
})

/** Updates whose result does not fit the type. */
const wrong: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  card: { code: { cvc: '12' }, separators: { number: '4242-4242-4242-4242' }, year: { expiration_year: 30 } },
  bank: {
    checksum: { routing_number: '110000001' },
    account: { account_number: '1'.repeat(18) },
    removed: { account_number: null },
  },
  card_number: { check_digit: '4242424242424241' },
  us_bank_account_number: { short: '12', long: '1'.repeat(18) },
  us_bank_routing_number: { checksum: '110000001' },
  social_security_number: { short: '078-05-112' },
  employer_id_number: { letters: '12-345678x' },
}

const checkCells = changes.flatMap(({ type, before }) =>
  Object.entries(wrong[type] ?? {}).map(
    ([name, data]): Cell => ({
      requirement: ['card', 'bank'].includes(type) ? 'DAT-013' : 'TYP-540',
      name: `${type}-${name}`,
      title: `an update is refused if its result is not a valid ${type}: ${name.replaceAll('_', ' ')}`,
      async run(c) {
        const { id } = await c.shared(`unchanged ${type}`, s => tokenOf(s, { type, data: before }))
        c.refused(await c.asPrivate('PATCH', `/tokens/${id}`, { data }), 400, 'the update')
        c.equal((await c.read(id)).data, before, 'data afterwards')
      },
    }),
  ),
)

/** Values derived from data, after the data changed: masked data, fingerprints, indexes and checks. */
export const derivedCases = matrix([...ownMaskCells, ...cells, ...checkCells])
