import { type Case, cases, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { allTokenPermissions, atOffset, card, hour, minute } from '../values.ts'

const day = 24 * hour

const gone = (c: Context, id: string) =>
  c.eventually(async () => {
    const { status } = await c.asPrivate('GET', `/tokens/${id}`)
    return status >= 400 ? status : undefined
  }, 'the deletion of the token')

const cells: readonly (Row | Case)[] = [
  ...cases({
    'TOK-012.instants [clock]: a token ends at the instant that the offset of its expiry says, not before and at most an hour later':
      async c => {
        const end = (await c.now()) + 2 * hour
        const made: string[] = []
        for (const offset of ['+05:30', '-09:00', '+00:00', '+14:00'])
          made.push((await c.token({ expires_at: atOffset(end, offset) })).id)
        await c.advance(2 * hour - minute)
        for (const id of made) c.equal((await c.read(id)).id, id, 'a minute before the end')
        await c.advance(hour + 2 * minute)
        for (const id of made) await gone(c, id)
      },
    'DAT-009.minutes [clock]: a cvc is kept for 59 minutes, and an hour and a minute after the creation no read shows it':
      async c => {
        const { id } = await c.token({ type: 'card', data: { ...card, cvc: '123' } })
        await c.advance(59 * minute)
        c.equal((await c.read(id)).data?.cvc, '123', 'cvc after 59 minutes')
        await c.advance(2 * minute)
        await c.eventually(async () => {
          const { data } = await c.read(id)
          return data?.cvc === undefined || data.cvc === null ? true : undefined
        }, 'the deletion of the cvc')
        c.matches((await c.read(id)).data, card, 'the other members')
      },
    'TOK-039.beyond-a-year [clock]: a token whose expiry is more than a year away exists until then, and is deleted then':
      async c => {
        const { id } = await c.token({ expires_at: await c.later(400 * day) })
        await c.advance(399 * day)
        c.equal((await c.read(id)).data, c.tag, 'data a day before')
        await c.advance(day + hour + minute)
        await gone(c, id)
      },
    'PAG-503.changed: a change of a token does not change its place in lists and searches': async c => {
      const ids: string[] = []
      for (let n = 0; n < 3; n++) ids.unshift((await c.token({ metadata: { run: c.tag } })).id)
      await c.patch(ids[2] as string, { metadata: { changed: 'yes' } })
      await c.patch(ids[1] as string, { data: 'changed' })
      c.equal(c.ids((await c.asPrivate('GET', `/tokens?metadata.run=${c.tag}`)).body), ids, 'the list')
      await c.settles(async () => c.ids(await c.search('')), ids, 'the search')
    },
    'TOK-503.again: a token created under the id of a deleted one has nothing of it': async c => {
      const first = {
        id: c.tag,
        data: { old: c.tag },
        metadata: { old: 'yes', run: c.tag },
        mask: { old: 'X' },
        search_indexes: ['{{ data.old }}'],
        fingerprint_expression: '{{ data.old }}',
        expires_at: '2099-01-01T00:00:00Z',
      }
      await c.token(first)
      await c.patch(c.tag, { metadata: { more: 'yes' } })
      c.success(await c.asPrivate('DELETE', `/tokens/${c.tag}`), 204)
      const made = await c.token({ id: c.tag, data: 'new', metadata: { new: 'yes' } })
      const fresh = await c.token({ data: 'new', metadata: { new: 'yes' } })
      const read = await c.read(c.tag)
      const bare = ({ id, created_at, ...rest }: Record<string, unknown>) => rest
      c.equal(bare(read), bare(await c.read(fresh.id)), 'the token beside one of another id')
      c.equal(read.created_at, made.created_at, 'created_at')
      await c.finds(`data:${c.tag}`, [], 'a search by its former index value')
      await c.finds(`metadata.old:yes`, [], 'a search by its former metadata')
      const list = await c.asPrivate('GET', `/tokens?metadata.run=${c.tag}`)
      c.equal(c.ids(c.success(list, 200).body), [], 'a list by its former metadata')
    },
    'SEA-021.deleted: the fingerprint of a deleted token finds it no longer, and other tokens of the same data':
      async c => {
        const [one, two] = [await c.token(), await c.token()]
        c.equal(two.fingerprint, one.fingerprint, 'the fingerprint of the same data')
        await c.finds(`fingerprint:"${one.fingerprint}"`, [one.id, two.id], 'the control')
        c.success(await c.asPrivate('DELETE', `/tokens/${one.id}`), undefined, 'deleting a token')
        await c.finds(`fingerprint:"${one.fingerprint}"`, [two.id], 'after the deletion')
      },
    'SEA-021.updated: after an update of its data a token is found by its new fingerprint, and no longer by the old one':
      async c => {
        const one = await c.token()
        await c.finds(`fingerprint:"${one.fingerprint}"`, [one.id], 'the control')
        const { fingerprint } = await c.patch(one.id, { data: `${c.tag} new` })
        c.ok(fingerprint !== one.fingerprint, 'the fingerprint is another one', fingerprint)
        await c.finds(`fingerprint:"${fingerprint}"`, [one.id], 'the new fingerprint')
        await c.finds(`fingerprint:"${one.fingerprint}"`, [], 'the old fingerprint')
      },
    'SEA-025.updated: after an update of its indexes a token is found by the new values, and no longer by the old ones':
      async c => {
        const old = `${c.tag}old`
        const { id } = await c.token({ data: old, search_indexes: ['{{ data }}'] })
        await c.finds(`data:${old}`, [id], 'the control')
        await c.patch(id, { data: `${c.tag}new`, search_indexes: ['{{ data }}'] })
        await c.finds(`data:${c.tag}new`, [id], 'the new value')
        await c.finds(`data:${old}`, [], 'the old value')
      },
    'TOK-034.whole [applications]: the response to an update has the members and values of a read, and names who made it and when':
      async c => {
        const { id: application, call } = await c.ruled('reveal', allTokenPermissions)
        const made = await c.token({ containers: [`${c.container}old/`], metadata: { a: 'b' } })
        for (const patch of [
          { containers: [`${c.container}new/`] },
          { metadata: { c: 'd' } },
          { data: { x: 1 } },
        ]) {
          const before = await c.read(made.id, call)
          const { data, ...answer } = await c.patch(made.id, patch, call)
          const { data: own, ...read } = await c.read(made.id, call)
          c.equal(answer, read, 'the response beside a read')
          c.equal([answer.created_by, answer.modified_by], [made.created_by, application], 'by whom')
          const [created, changed, earlier] = [answer.created_at, answer.modified_at, before.modified_at].map(
            time => Date.parse(time),
          ) as [number, number, number]
          c.ok(
            changed >= (earlier || created),
            'modified_at is not before the creation and the last change',
            changed,
          )
          c.surrogate(() =>
            c.ok(
              answer.modified_at > (before.modified_at ?? made.created_at),
              'it is later',
              answer.modified_at,
            ),
          )
          c.equal(data ?? undefined, own ?? undefined, 'data')
        }
      },
    'INV-005.near [management]: a body of an invocation just below 5 MB is accepted': async c => {
      const reactor = await c.reactor({
        code: 'module.exports = async req => ({ raw: { n: req.args.v.length } })',
      })
      const length = 5_000_000 - 1_000
      const reply = await c.react(reactor, { args: { v: 'x'.repeat(length) } })
      c.equal(c.success(reply, 200).body?.raw?.n, length, 'the length of the argument')
    },
    'INV-548.mentions [management]: a token that is named 150 times in an invocation counts once':
      async c => {
        const { id } = await c.token()
        const reactor = await c.reactor()
        const list = Array.from({ length: 150 }, () => `{{ ${id} }}`)
        const reply = await c.react(reactor, { args: { list } })
        c.equal(c.success(reply, 200).body?.raw?.list?.length, list.length, 'arguments')
      },
  }),
  ...(
    [
      [
        'formula',
        '/reactor-formulas',
        { type: 'private', code: '', configuration: [], request_parameters: [] },
      ],
      ['reactor', '/reactors', { configuration: {} }],
      ['application', '/applications', { type: 'private', permissions: ['token:use'] }],
    ] as const
  ).map(
    ([kind, path, body]): Row => [
      `WIR-541.${kind}-another [applications]: the response to an update of a ${kind} by another application names that one`,
      async c => {
        const more = kind === 'reactor' ? { formula: { id: (await c.formula()).id } } : {}
        const given = { name: c.tag, ...body, ...more }
        const made = c.success(await c.asManagement('POST', path, given), 201).body
        const permissions = ['reactor:update', 'reactor:read', 'application:update', 'application:read']
        const other = await c.application(
          { permissions: [...permissions, 'reactor:create', 'application:create'] },
          'management',
        )
        const at = `${path}/${made.id}`
        const change =
          kind === 'application'
            ? { name: 'new', permissions: [] as string[], rules: made.rules ?? [] }
            : { ...given, name: 'new' }
        if (kind === 'application') change.permissions = ['token:use'] as never
        const answer = c.success(await other.call('PUT', at, change), 200).body
        c.equal(answer, await c.get(at), 'the response beside a read')
        c.equal([answer.created_by, answer.modified_by], [made.created_by, other.id], 'by whom')
        c.ok(answer.modified_at > answer.created_at, 'modified_at is after created_at', answer.modified_at)
      },
    ],
  ),
]

/** Instants at which something ends, and what is compared with a later read. */
export const instantCases = cases(cells)
