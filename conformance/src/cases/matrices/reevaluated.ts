import { cases, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { card, hour, minute, rule, times } from '../values.ts'

type Members = Record<string, unknown>

/** A member that an update changes, and if the fingerprint is another afterwards. */
const fingerprints: Readonly<Record<string, { token: Members; patch: Members; changes: boolean }>> = {
  'read-metadata': {
    token: { fingerprint_expression: '{{ metadata.k }}', metadata: { k: 'a' } },
    patch: { metadata: { k: 'b' } },
    changes: true,
  },
  'other-metadata': {
    token: { fingerprint_expression: '{{ metadata.k }}', metadata: { k: 'a' } },
    patch: { metadata: { other: 'b' } },
    changes: false,
  },
  'unread-metadata': { token: { metadata: { k: 'a' } }, patch: { metadata: { k: 'b' } }, changes: false },
  expression: { token: {}, patch: { fingerprint_expression: '{{ data | upcase }}' }, changes: true },
  'null-expression': {
    token: { fingerprint_expression: '{{ data | upcase }}' },
    patch: { fingerprint_expression: null },
    changes: true,
  },
  'same-data': { token: {}, patch: { metadata: { k: 'a' } }, changes: false },
  'read-part': {
    token: { data: { a: 1, b: 1 }, fingerprint_expression: 'x{{ data.a }}' },
    patch: { data: { a: 2 } },
    changes: true,
  },
  'unread-part': {
    token: { data: { a: 1, b: 1 }, fingerprint_expression: 'x{{ data.a }}' },
    patch: { data: { b: 2 } },
    changes: false,
  },
}

const fingerprintCells = Object.entries(fingerprints).flatMap(([name, { token, patch, changes }]): Row[] => {
  const said = name.replaceAll('-', ' ')
  const updated = async (c: Context) => {
    const before = await c.token({ data: `a${c.tag}`, ...token })
    return { id: before.id, before: before.fingerprint, after: (await c.patch(before.id, patch)).fingerprint }
  }
  return [
    [
      `TOK-544.${name}: an update ${changes ? 'changes' : 'keeps'} the fingerprint: ${said}`,
      async c => {
        const { before, after } = await updated(c)
        c.ok(typeof after === 'string', 'there is a fingerprint', after)
        c.equal(after !== before, changes, 'the fingerprint changes')
      },
    ],
    [
      `TOK-544.${name}-found: after an update a token is found by the fingerprint that it has: ${said}`,
      async c => {
        const { id, before, after } = await updated(c)
        await c.finds(`fingerprint:"${after}"`, [id], 'what it finds')
        if (changes) await c.finds(`fingerprint:"${before}"`, [], 'what the old one finds')
      },
    ],
  ]
})

/** Updates that fail in an expression of the token, and the members that a caller who may read the data is named. */
const failures: Readonly<
  Record<string, { token: (c: Context) => Members; patch: Members; named: string; hidden: string }>
> = {
  index: {
    token: () => ({ data: { a: 'x' }, search_indexes: ['{{ data.a }}'] }),
    patch: { data: { a: '' } },
    named: 'search_indexes',
    hidden: 'data',
  },
  fingerprint: {
    token: () => ({ fingerprint_expression: '{{ 10 | divided_by: metadata.n }}', metadata: { n: '2' } }),
    patch: { metadata: { n: '0' } },
    named: 'fingerprint_expression',
    hidden: 'metadata',
  },
}
/** Callers who may update, and if they may read the data by that. */
const updaters: Readonly<
  Record<string, { mayRead: boolean; caller: (c: Context) => ReturnType<Context['application']> }>
> = {
  'a rule that reveals': { mayRead: true, caller: c => c.ruled('reveal', ['token:update']) },
  'a rule that masks': { mayRead: false, caller: c => c.ruled('mask', ['token:update']) },
  'a private application': { mayRead: true, caller: c => c.application({ permissions: ['token:update'] }) },
  'a public application': {
    mayRead: false,
    caller: c => c.application({ permissions: ['token:update'] }, 'public'),
  },
  'a public application under a rule that reveals': {
    mayRead: true,
    caller: c =>
      c.application(
        {
          rules: [
            { priority: 1, container: c.container, transform: 'reveal', permissions: ['token:update'] },
          ],
        },
        'public',
      ),
  },
}
const failureCells = Object.entries(failures).map(
  ([name, { token, patch, named, hidden }]): Row => [
    `ACC-545.${name}: a failing ${name} is named to a caller who may read the data, and to no other`,
    async c => {
      const { id } = await c.token({ metadata: { k: 'x' }, ...token(c) })
      for (const [who, { mayRead, caller }] of Object.entries(updaters)) {
        const { call } = await caller(c)
        const { body } = c.refused(await call('PATCH', `/tokens/${id}`, patch), 400, who)
        const errors = Object.keys(body?.errors ?? {})
        if (mayRead)
          c.ok(
            errors.length > 0 && errors.every(path => path.startsWith(named)),
            `errors name ${named} to ${who}`,
            errors,
          )
        else c.equal(errors, [hidden], `members that are named to ${who}`)
      }
    },
  ],
)

const cells = cases({
  'TOK-510.mask [applications]: an update of data on which the mask fails is refused for callers who may read the data, and for no other':
    async c => {
      const { id } = await c.token({ data: { n: 2 }, mask: '{{ 10 | divided_by: data.n }}' })
      const send = async (transform: string) =>
        (await c.ruled(transform, ['token:update'])).call('PATCH', `/tokens/${id}`, { data: { n: 0 } })
      c.refused(await send('reveal'), 400, 'a caller who may read the data')
      c.success(await send('mask'), 200, 'another caller')
    },
  'TYP-504.update: an update of a card accepts no search indexes except an empty list': async c => {
    const { id } = await c.token({ type: 'card', data: card })
    const send = (search_indexes: unknown) => c.asPrivate('PATCH', `/tokens/${id}`, { search_indexes })
    await c.refuses<unknown>(400, send, [], { 'one index': ['{{ data.number }}'] })
  },
  'SEA-540.kept: a token with one index is found by it after updates that do not change its data':
    async c => {
      const { id } = await c.token({ search_indexes: ['x{{ data }}'] })
      const find = () => c.asPrivate('POST', '/tokens/search', { query: `data:x${c.tag}` })
      const found = async () => c.ids(c.success(await find(), 200).body)
      await c.settles(found, [id], 'before')
      for (const patch of [{ metadata: { a: 'b' } }, { mask: 'X' }, { fingerprint_expression: c.tag }]) {
        await c.patch(id, patch)
        await c.settles(found, [id], `after ${Object.keys(patch)[0]}`)
      }
    },
  'TOK-511.new [clock]: a cvc that is set where none was is erased after an hour': async c => {
    const { id } = await c.token({ type: 'card', data: card })
    await c.advance(30 * minute)
    await c.patch(id, { data: { cvc: '789' } })
    await c.advance(hour - minute)
    c.equal((await c.read(id)).data.cvc, '789', 'within the hour')
    await c.advance(minute + 1000)
    c.equal((await c.read(id)).data, card, 'after the hour')
  },
  'ACC-506.null: null moves a token to the containers of its type, which needs token:update there':
    async c => {
      const { id } = await c.token()
      const own = rule(c.container, 'mask', ['token:update'])
      const send = async (rules: object[]) =>
        (await c.application({ rules })).call('PATCH', `/tokens/${id}`, { containers: null })
      c.refused(await send([own]), 403, 'with a rule on its container alone')
      const moved = c.success(
        await send([own, rule('/general/high/', 'mask', ['token:update'], 2)]),
        200,
      ).body
      c.equal(moved.containers, ['/general/high/'], 'containers')
    },
  'TOK-542.merged-metadata: an update is refused if there are more than 50 entries of metadata after the merge':
    async c => {
      const entries = times(49, index => [`k${index}`, 'v'])
      const { id } = await c.token({ metadata: Object.fromEntries(entries) })
      const add = (name: string) => c.asPrivate('PATCH', `/tokens/${id}`, { metadata: { [name]: 'v' } })
      c.success(await add('fiftieth'), 200, 'the fiftieth')
      c.refused(await add('another'), 400, 'another')
      c.success(await add('k0'), 200, 'one that is there')
    },
  'TOK-542.merged-size: an update is refused if the merged data is larger than a body may be': async c => {
    const half = 'x'.repeat(600_000)
    const { id } = await c.token({ data: { a: half } })
    c.refused(await c.asPrivate('PATCH', `/tokens/${id}`, { data: { b: half } }), 400, 'too much data')
    c.success(await c.asPrivate('PATCH', `/tokens/${id}`, { data: { b: 'x' } }), 200, 'less data')
  },
})

/** Expressions that an update evaluates again, and checks that it repeats. */
export const reevaluatedCases = cases([...fingerprintCells, ...failureCells, ...cells])
