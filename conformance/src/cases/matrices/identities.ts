import { cases } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { hour } from '../values.ts'
import { matrix } from './cell.ts'

/** Ids of tokens with this data, and if they are accepted. `TAG` makes an id free. */
const ids: readonly (readonly [type: string, data: unknown, id: string, accepted: boolean])[] = [
  // Without its separators nothing is left of the data, or of the id.
  ['token', '---', '---', false],
  ['token', '...TAG', '___TAG', false],
  ['token', 'TAGabcd', 'TAGABCD', false],
  // Six digits are found anywhere, fewer only on their own.
  ['us_bank_account_number', '123456', 'TAGa91234567', false],
  ['us_bank_account_number', '123456', 'TAGa-12-34-56', false],
  ['us_bank_account_number', '12345', 'TAGa-91234567', true],
  ['us_bank_account_number', '12345', 'TAGa-12345-b', false],
  ['us_bank_account_number', '12345', 'TAGa-678-b', true],
  ['us_bank_account_number', '1234', 'UUID-1234', true],
  // Data of this type holds no such number, whatever its members are named.
  ['token', { null: '12345678' }, 'TAG12345678', true],
]

/** Expressions for ids that make no id, or fail. */
const noIds: Readonly<Record<string, string>> = {
  'a character of no id': "{{ 'a/b/c' }}",
  'too short': "{{ 'ab' }}",
  nothing: '{{ data.none }}',
  'a filter that fails': "{{ data | json: '$[' }}",
}

const drawn = (c: Context, id: string) =>
  id
    .replace('TAG', c.tag.replaceAll(/\d/g, 'x'))
    .replace('UUID-1234', () => `${crypto.randomUUID().slice(0, 8)}-1234${crypto.randomUUID().slice(13)}`)

const cells = cases({
  'TOK-520.parts: an id that holds the number of its token, or equals the data without separators, is refused':
    async c => {
      for (const [type, data, id, accepted] of ids) {
        const given = typeof data === 'string' ? drawn(c, data) : data
        const body = { type, data: given, id: drawn(c, id), containers: [c.container] }
        const reply = await c.asPrivate('POST', '/tokens', body)
        if (accepted) c.success(reply, 201, `${id} for ${data}`)
        else c.refused(reply, 400, `${id} for ${data}`)
      }
      const separated = { type: 'token', data: c.tag.padEnd(10_000, '-'), id: c.tag }
      c.refused(
        await c.asPrivate('POST', '/tokens', separated),
        400,
        '10,000 characters, most of them separators',
      )
      // Of separators alone, only the same are the same.
      for (const members of [
        { data: '...', id: '-_-' },
        { data: { a: 1 }, id: 'object-object' },
      ]) {
        const { id } = await c.token(members)
        c.success(await c.asPrivate('DELETE', `/tokens/${id}`), 204, 'deleting it')
      }
    },
  'TOK-002.capitals: a token whose id has small and capital letters is read, updated, listed and deleted by it':
    async c => {
      const id = `${c.tag}-aBcD`
      await c.token({ id })
      c.equal((await c.read(id)).id, id, 'a read')
      c.equal((await c.patch(id, { metadata: { a: 'b' } })).id, id, 'an update')
      c.equal(c.ids(await c.get(`/tokens?id=${id}`, c.asPrivate)), [id], 'a list')
      c.success(await c.asPrivate('DELETE', `/tokens/${id}`), 204, 'a delete')
    },
  'TOK-002.blanks: an id with blanks at its ends is refused, or kept as it is': async c => {
    for (const id of [` ${c.tag}`, `${c.tag} `]) {
      const body = { type: 'token', data: 1, id, containers: [c.container] }
      const reply = await c.asPrivate('POST', '/tokens', body)
      if (reply.status === 400) {
        c.surrogate(() => void c.success(reply, 201, 'the create'))
        continue
      }
      c.equal(c.success(reply, 201, 'the create').body.id, id, 'id')
      c.equal((await c.read(id)).id, id, 'a read')
      c.refused(await c.asPrivate('GET', `/tokens/${c.tag}`), 404, 'the id without blanks')
    }
  },
  'TOK-504.evaluated: an expression that makes no id is refused': async c => {
    const create = (id: string) =>
      c.asPrivate('POST', '/tokens', { type: 'token', data: 'x', id, containers: [c.container] })
    await c.refuses(400, create, `{{ '${c.tag}' }}`, noIds)
  },
  'TOK-501.no-fingerprint: a token without a fingerprint is never a duplicate, alone or in a payload':
    async c => {
      const body = {
        type: 'token',
        data: c.tag,
        containers: [c.container],
        fingerprint_expression: '{{ data.none }}',
        deduplicate_token: true,
      }
      for (const which of ['first', 'second'])
        c.success(await c.asPrivate('POST', '/tokens', body), 201, `the ${which}`)
      const made = c.success(await c.asPrivate('POST', '/tokenize', [body, body]), 200, 'a payload').body
      c.ok(made[0].id !== made[1].id, 'those of a payload are different', made[0].id)
      c.equal((await c.found('')).length, 4, 'the number of tokens')
    },
  'TOK-501.expiring: a token that expires later is listed, found and returned for a duplicate, with its own mask':
    async c => {
      const card = { number: '4242424242424242', cvc: '123' }
      const body = {
        type: 'card',
        data: card,
        mask: { code: '{{ data.cvc }}' },
        fingerprint_expression: c.tag,
      }
      const { id } = await c.token({ ...body, expires_at: await c.later(86_400_000) })
      const reply = await c.asPrivate('POST', '/tokens', {
        ...body,
        containers: [c.container],
        deduplicate_token: true,
      })
      const shown = c.success(reply, 200).body
      c.equal([shown.id, shown.data], [id, { code: '123' }], 'id and data of a duplicate')
      c.equal(c.ids(await c.get(`/tokens?id=${id}`, c.asPrivate)), [id], 'a list')
      c.equal(await c.found(`id:${id}`), [id], 'a search')
    },
  'TOK-501.readable-only [applications]: a duplicate is shown to a caller who may read it but not search it':
    async c => {
      await c.token({ metadata: { a: 'b' } })
      const { call } = await c.ruled('mask', ['token:create', 'token:read'])
      const body = { type: 'token', data: c.tag, containers: [c.container], deduplicate_token: true }
      c.equal(c.success(await call('POST', '/tokens', body), 200).body.metadata, { a: 'b' }, 'metadata')
    },
  'TOK-510.named: the refusal of a mask names where in it an expression fails': async c => {
    const create = (mask: unknown) =>
      c.asPrivate('POST', '/tokens', { type: 'token', data: 'x', mask, containers: [c.container] })
    for (const [mask, member] of [
      ['{{ data | }}', 'mask'],
      [{ a: ['{{ data }}', '{{ data | }}'] }, 'mask.a.1'],
    ] as const) {
      const { body } = c.refused(await create(mask), 400, member)
      c.equal(Object.keys(body?.errors ?? {}), [member], 'errors')
    }
    c.success(await create({ a: ['{{ data }}'] }), 201, 'the control')
  },
  'TOK-510.single: an index that evaluates to a list or an object is refused': async c => {
    const create = (index: string) =>
      c.asPrivate('POST', '/tokens', {
        type: 'token',
        data: { text: 'a', list: ['a'], object: { a: 1 } },
        search_indexes: [index],
        containers: [c.container],
      })
    await c.refuses(400, create, '{{ data.text }}', {
      'a list': '{{ data.list }}',
      'an object': '{{ data.object }}',
    })
  },
})

const timedCells = cases({
  'TOK-510.other-cvc [clock]: a member cvc of data other than a card is kept': async c => {
    const { id } = await c.token({ data: { cvc: '123' } })
    await c.advance(2 * hour)
    c.equal((await c.read(id)).data, { cvc: '123' }, 'data')
  },
  'IDE-501.day [clock]: a request is the same under its idempotency key for a day, and another one after that':
    async c => {
      const { headers } = c.keyed()
      const body = { type: 'token', data: 1, containers: [c.container] }
      const send = async () => c.success(await c.asPrivate('POST', '/tokens', body, { headers }), 201).body.id
      const first = await send()
      await c.advance(23 * hour)
      c.equal(await send(), first, 'id after 23 hours')
      await c.advance(2 * hour)
      const last = await send()
      c.ok(last !== first, 'the id after 25 hours is another', last)
    },
})

/** Ids, fingerprints and indexes of tokens. */
export const identityCases = matrix([...cells, ...timedCells])
