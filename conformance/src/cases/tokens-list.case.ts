import { cases } from '../harness/case.ts'
import { bank, card, masked, shownUnder } from './values.ts'

/** Specification, section 4.1: lists of tokens, and reading one. */
export const tokenListCases = cases({
  'TOK-018.a: a list returns pagination and tokens': async c => {
    const { id } = await c.token({ metadata: { run: c.tag } })
    const list = await c.get(`/tokens?metadata.run=${c.tag}`, c.asPrivate)
    c.ok(
      typeof list?.pagination === 'object' && list.pagination !== null,
      'pagination is an object',
      list?.pagination,
    )
    c.equal(c.ids(list), [id], 'ids')
    c.equal(list.data[0].data, c.tag, 'data of the token')
  },
  'TOK-019.a: a list filtered by ids contains only these tokens': async c => {
    const [a, b, other] = [await c.token(), await c.token(), await c.token()]
    const list = async (query: string) => c.ids(await c.get(`/tokens?${query}`, c.asPrivate)).sort()
    c.equal(await list(`id=${a.id}`), [a.id], 'one id')
    c.equal(await list(`id=${a.id}&id=${b.id}`), [a.id, b.id].sort(), 'two ids')
    c.ok(other.id !== a.id && other.id !== b.id, 'the third is another', other.id)
  },
  'TOK-020.a: a list filtered by types contains only tokens of these types': async c => {
    const metadata = { run: c.tag }
    const made = {
      card: (await c.token({ type: 'card', data: card, metadata })).id,
      bank: (await c.token({ type: 'bank', data: bank, metadata })).id,
      token: (await c.token({ metadata })).id,
    }
    const list = async (query: string) =>
      c.ids(await c.get(`/tokens?${query}&metadata.run=${c.tag}`, c.asPrivate)).sort()
    c.equal(await list('type=card'), [made.card], 'one type')
    c.equal(await list('type=card&type=token'), [made.card, made.token].sort(), 'two types')
  },
  'TOK-021.a: metadata values are compared whole and without regard to case': async c => {
    const { id } = await c.token({ metadata: { run: c.tag, kind: 'One Two' } })
    const list = async (value: string) =>
      c.ids(
        c.success(await c.asPrivate('GET', `/tokens?metadata.run=${c.tag}&metadata.kind=${value}`), 200).body,
      )
    c.equal(await list('One%20Two'), [id], 'the exact value')
    c.equal(await list('oNE%20tWO'), [id], 'the value in another case')
    c.equal(await list('One'), [], 'a part of the value')
  },
  'TOK-022.a: a list filtered by several metadata entries contains the tokens that have all of them':
    async c => {
      const one = await c.token({ metadata: { run: c.tag, kind: 'one' } })
      const two = await c.token({ metadata: { run: c.tag, kind: 'two' } })
      const list = async (query: string) => c.ids(await c.get(`/tokens?${query}`, c.asPrivate)).sort()
      c.equal(await list(`metadata.run=${c.tag}`), [one.id, two.id].sort(), 'one entry')
      c.equal(await list(`metadata.run=${c.tag}&metadata.kind=one`), [one.id], 'two entries')
    },
  'TOK-023.a: a repeated metadata key does not narrow the list': async c => {
    const { id } = await c.token({ metadata: { run: c.tag, kind: 'one' } })
    const query = `/tokens?metadata.run=${c.tag}&metadata.kind=one`
    c.equal(c.ids(await c.get(query, c.asPrivate)), [id], 'without a repetition')
    const repeated = await c.asPrivate('GET', `${query}&metadata.kind=two`, undefined, { plain: true })
    c.equal(c.ids(c.success(repeated, 200).body), [id], 'with one')
    const turned = await c.asPrivate(
      'GET',
      `/tokens?metadata.run=${c.tag}&metadata.kind=two&metadata.kind=one`,
      undefined,
      {
        plain: true,
      },
    )
    c.surrogate(() => c.equal(c.ids(turned.body), [], 'the first of two counts'))
  },
  'TOK-024.a: a list shows data whole, masked or not at all, as the caller may see it': async c => {
    const { id } = await c.token({ ...masked, metadata: { run: c.tag } })
    for (const [transform, data] of shownUnder) {
      const call = await c.under(transform, ['token:read'])
      const list = await c.get(`/tokens?metadata.run=${c.tag}`, call)
      c.equal(c.ids(list), [id], `ids under ${transform}`)
      c.equal(list.data[0].data ?? undefined, data, `data under ${transform}`)
    }
  },
  'TOK-025.a: a token is shown whole, masked or without data, as the caller may see it': async c => {
    const { id } = await c.token(masked)
    for (const [transform, data] of shownUnder) {
      const call = await c.under(transform, ['token:read'])
      c.equal((await c.read(id, call)).data ?? undefined, data, `data under ${transform}`)
    }
  },
  'TOK-037.a: a deleted token can no longer be read, and the response has no body': async c => {
    const { id } = await c.token()
    c.equal((await c.read(id)).id, id, 'id before')
    const gone = c.success(await c.asPrivate('DELETE', `/tokens/${id}`), 204)
    c.equal(gone.text, '', 'body of the answer')
    c.refused(await c.asPrivate('GET', `/tokens/${id}`), 404, 'reading it')
    const list = await c.asPrivate('GET', `/tokens?id=${id}`)
    c.equal(c.ids(c.success(list, 200).body), [], 'ids of a list')
  },
  'TOK-038.a: deleting a token twice, or one that never existed, is an error': async c => {
    const { id } = await c.token()
    const remove = (one: string) => c.asPrivate('DELETE', `/tokens/${one}`)
    await c.refuses(404, remove, id, {
      'the same token again': id,
      'a token that never existed': `none-${c.tag}`,
    })
  },
})
