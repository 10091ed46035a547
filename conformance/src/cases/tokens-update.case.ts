import { cases } from '../harness/case.ts'
import { card, hour, minute } from './values.ts'

/** Specification, sections 4.1 and 7: updating tokens. */
export const tokenUpdateCases = cases({
  'TOK-026.a: an update with a content type other than merge patch is 415': async c => {
    const { id } = await c.token({ data: { a: 1 } })
    const send = (type: string) =>
      c.asPrivate('PATCH', `/tokens/${id}`, { data: { b: 2 } }, { headers: { 'Content-Type': type } })
    await c.refuses({ status: 415 }, send, 'application/merge-patch+json', {
      'application/json': 'application/json',
      'text/plain': 'text/plain',
      'application/json-patch+json': 'application/json-patch+json',
    })
    c.equal((await c.read(id)).data, { a: 1, b: 2 }, 'data afterwards')
  },
  'TOK-027.a: members of data are merged at every depth, null removes one, and arrays are replaced':
    async c => {
      const { id } = await c.token({
        data: { keep: 1, change: 1, drop: 1, deep: { keep: 1, drop: 1 }, list: [1, 2] },
      })
      await c.patch(id, { data: { change: 2, drop: null, deep: { drop: null, add: 3 }, list: [3] } })
      c.equal(
        (await c.read(id)).data,
        { keep: 1, change: 2, deep: { keep: 1, add: 3 }, list: [3] },
        'merged data',
      )
    },
  'TOK-027.b: data that is not an object replaces the previous data': async c => {
    const { id } = await c.token({ data: { a: 1 } })
    await c.patch(id, { data: 'text' })
    c.equal((await c.read(id)).data, 'text', 'data')
  },
  'TOK-028.a: members of the mask are merged, and the next restricted read shows them': async c => {
    const call = await c.under('mask', ['token:read'])
    const { id } = await c.token({ data: { a: 1, b: 2, d: 'four' }, mask: { a: 'A', b: 'B' } })
    await c.patch(id, { mask: { b: null, d: '{{ data.d }}' } })
    c.equal((await c.read(id)).mask, { a: 'A', d: '{{ data.d }}' }, 'mask')
    c.equal((await c.read(id, call)).data, { a: 'A', d: 'four' }, 'masked data')
  },
  'TOK-029.a: entries of metadata are merged': async c => {
    const { id } = await c.token({ metadata: { keep: '1', change: '1', drop: '1' } })
    await c.patch(id, { metadata: { change: '2', drop: null, add: '3' } })
    c.equal((await c.read(id)).metadata, { keep: '1', change: '2', add: '3' }, 'metadata')
  },
  'TOK-030.a: the whole list of containers is replaced': async c => {
    const { id } = await c.token({ containers: [`${c.container}a/`, `${c.container}b/`] })
    await c.patch(id, { containers: [`${c.container}c/`] })
    c.equal((await c.read(id)).containers, [`${c.container}c/`], 'containers')
  },
  'TOK-031.a: search indexes are replaced, and the token is found only by the new ones': async c => {
    const data = { a: `${c.tag}a`, b: `${c.tag}b` }
    const { id } = await c.token({ data, search_indexes: ['{{ data.a }}'] })
    await c.finds(`data:${data.a}`, [id], 'found by the old one before')
    await c.patch(id, { search_indexes: ['{{ data.b }}'] })
    c.equal((await c.read(id)).search_indexes, ['{{ data.b }}'], 'search_indexes')
    await c.finds(`data:${data.b}`, [id], 'found by the new one')
    await c.finds(`data:${data.a}`, [], 'found by the old one')
  },
  'TOK-032.a: the fingerprint expression is replaced, and the fingerprint with it': async c => {
    const { id, fingerprint } = await c.token({ data: { a: c.tag, b: 1 } })
    const patched = await c.patch(id, { fingerprint_expression: '{{ data.a }}' })
    c.equal(patched.fingerprint_expression, '{{ data.a }}', 'fingerprint_expression')
    c.ok(patched.fingerprint !== fingerprint, 'the fingerprint is another', patched.fingerprint)
  },
  'TOK-033.a: the expiry is replaced': async c => {
    const { id } = await c.token({ expires_at: '2098-01-01T00:00:00Z' })
    await c.patch(id, { expires_at: '2099-01-01T00:00:00Z' })
    c.equal(Date.parse((await c.read(id)).expires_at), Date.parse('2099-01-01T00:00:00Z'), 'expires_at')
  },
  'TOK-033.b [clock]: a token expires at its time after an update, of that time or of another member':
    async c => {
      const [soon, late] = [await c.later(minute), await c.later(3 * hour)]
      const updated = async (expires_at: string, patch: Record<string, unknown>) => {
        const { id } = await c.token({ expires_at })
        await c.patch(id, patch)
        return id
      }
      const earlier = await updated(late, { expires_at: soon })
      const later = await updated(soon, { expires_at: late })
      const same = await updated(soon, { metadata: { a: '1' } })
      // A token is deleted at most an hour after its expiry.
      await c.advance(hour + 2 * minute)
      await c.read(later)
      for (const [id, what] of [
        [earlier, 'a token that expires earlier than it did'],
        [same, 'a token whose metadata was changed'],
      ] as const)
        c.refused(await c.asPrivate('GET', `/tokens/${id}`), 404, what)
    },
  'TOK-034.a: the response to an update is the token as it is now': async c => {
    const { id } = await c.token({ metadata: { a: '1' } })
    const patched = await c.patch(id, { metadata: { a: '2' } })
    c.equal([patched.id, patched.metadata], [id, { a: '2' }], 'id and metadata')
    c.ok(Number.isFinite(Date.parse(patched.modified_at)), 'modified_at is a date', patched.modified_at)
    const { data: _shown, ...rest } = patched
    const { data: _whole, ...read } = await c.read(id)
    c.matches(rest, read, 'the response, by what is read')
    c.matches(read, rest, 'what is read, by the response')
  },
  'TOK-035.a: an update to a duplicate of a token that the caller may not read reveals nothing of it':
    async c => {
      const { call } = await c.application({
        rules: [{ priority: 1, container: c.container, transform: 'reveal', permissions: ['token:update'] }],
      })
      const hidden = `${c.container}hidden/`
      const shown = {
        mask: 'X',
        metadata: { m: c.tag },
        search_indexes: ['{{ data }}'],
        fingerprint_expression: '{{ data }}',
      }
      const original = await c.token({ data: `${c.tag}1`, containers: [hidden], ...shown })
      const { id } = await c.token({ data: `${c.tag}2`, fingerprint_expression: '{{ data }}' })
      const update = { data: `${c.tag}1`, deduplicate_token: true }
      const body = await c.patch(id, update, call)
      for (const name of ['data', ...Object.keys(shown)]) {
        c.ok(body[name] === undefined || body[name] === null, `${name} is not shown`, body[name])
      }
      c.surrogate(() => c.equal(body.id, original.id, 'id of the answer'))
      const whole = await c.patch(id, update)
      c.surrogate(() => c.equal(whole.metadata, shown.metadata, 'metadata for a caller that may read'))
      c.equal((await c.read(original.id)).data, `${c.tag}1`, 'the original afterwards')
    },
  'TOK-036.plain: an update with invalid metadata, containers or expiry is refused and changes nothing':
    async c => {
      const { id } = await c.token({ metadata: { a: '1' } })
      const before = await c.read(id)
      const send = (patch: unknown) => c.asPrivate('PATCH', `/tokens/${id}`, patch)
      for (const [what, patch] of Object.entries({
        'metadata that is not a string': { data: 2, metadata: { a: 2 } },
        'containers that are not a list': { data: 2, containers: c.container },
        'a malformed time': { data: 2, expires_at: 'never', metadata: { a: '2' } },
      })) {
        c.refused(await send(patch), 400, what)
        c.equal(await c.read(id), before, `the token after ${what}`)
      }
      c.success(await send({ data: 2 }), 200, 'the control')
    },
  'TOK-036.a: an update whose result does not fit the type is refused and changes nothing': async c => {
    const { id } = await c.token({ type: 'card', data: card, metadata: { a: '1' } })
    const send = (patch: unknown) => c.asPrivate('PATCH', `/tokens/${id}`, patch)
    await c.refuses<unknown>(
      400,
      send,
      { data: { expiration_month: 11 } },
      {
        'an invalid card number': { data: { number: '12345' }, metadata: { a: '2' } },
      },
    )
    const read = await c.read(id)
    c.matches(
      [read.data, read.metadata],
      [{ ...card, expiration_month: 11 }, { a: '1' }],
      'data and metadata',
    )
  },
})
