import { cases } from '../harness/case.ts'
import { card, employerId, masked, nothing, shownUnder, ssn } from './values.ts'

/** Specification, section 4.2: fields, pages and shown data. */
export const searchFieldCases = cases({
  'SEA-013.a: a range in square brackets includes its ends': async c => {
    const one = await c.token()
    const two = await c.tokenAfter(one)
    const three = await c.tokenAfter(two)
    const query = `created_at:[${one.created_at} TO ${two.created_at}]`
    await c.finds(query, [one.id, two.id].sort(), `ids between the first and the second`)
    c.ok(
      Date.parse(three.created_at) > Date.parse(two.created_at),
      'the third is later than the second',
      three.created_at,
    )
  },
  'SEA-014.a: a range in braces excludes its ends': async c => {
    const one = await c.token()
    const two = await c.tokenAfter(one)
    const three = await c.tokenAfter(two)
    await c.finds(`created_at:{${one.created_at} TO ${three.created_at}}`, [two.id], 'ids')
  },
  'SEA-015.a: a * leaves an end of a range open': async c => {
    const one = await c.token()
    const two = await c.tokenAfter(one)
    await c.finds(`created_at:[${two.created_at} TO *]`, [two.id], 'open at the end')
    await c.finds(`created_at:[* TO ${one.created_at}]`, [one.id], 'open at the start')
    await c.finds('created_at:[* TO *]', [one.id, two.id].sort(), 'open at both')
  },
  'SEA-019.a: a token is found by its id': async c => {
    const [one] = [await c.token(), await c.token()]
    await c.finds(`id:${one.id}`, [one.id], 'ids')
    await c.finds(`id:"${one.id}"`, [one.id], 'ids, quoted')
  },
  'SEA-020.a: tokens are found by their type': async c => {
    const one = await c.token({ type: 'card', data: card })
    const two = await c.token()
    await c.finds('type:card', [one.id], 'cards')
    await c.finds('type:token', [two.id], 'tokens')
  },
  'SEA-021.a: tokens are found by their fingerprint': async c => {
    const one = await c.token({ data: `${c.tag}1` })
    await c.token({ data: `${c.tag}2` })
    await c.finds(`fingerprint:"${one.fingerprint}"`, [one.id], 'ids')
  },
  'SEA-022.a [applications]: tokens are found by their creator': async c => {
    const { id, call } = await c.ruled('reveal', ['token:create'])
    const one = await c.token({}, call)
    const two = await c.token()
    await c.finds(`created_by:${id}`, [one.id], 'those of one application')
    await c.finds(`created_by:${two.created_by}`, [two.id], 'those of another')
  },
  'SEA-022.b: a token is found by its own creator, and not by another': async c => {
    const { id, created_by } = await c.token()
    await c.finds(`created_by:${created_by}`, [id], 'by its creator')
    await c.finds(`created_by:${nothing}`, [], 'by another')
  },
  'SEA-023.a: tokens are found by the time of their creation': async c => {
    const one = await c.token()
    const two = await c.tokenAfter(one)
    await c.finds(`created_at:[${one.created_at} TO ${one.created_at}]`, [one.id], 'an instant')
    await c.finds('created_at:[2000-01-01 TO *]', [one.id, two.id].sort(), 'since a date')
    await c.finds('created_at:[2000-01-01 TO 2001-01-01]', [], 'before they were')
  },
  'SEA-024.a: tokens are found by the application and the time of their last change': async c => {
    const [one, two] = [await c.token(), await c.token()]
    const { modified_by, modified_at } = await c.patch(one.id, { metadata: { a: 'b' } })
    await c.finds(`modified_by:${modified_by}`, [one.id], 'modified_by')
    await c.finds(`modified_at:[${modified_at} TO ${modified_at}]`, [one.id], 'modified_at')
    await c.finds('NOT modified_at:[* TO *]', [two.id], 'the one that was not modified')
  },
  'SEA-025.a: data that is not an index value is not found': async c => {
    const { id } = await c.token({
      data: { a: `${c.tag}a`, b: `${c.tag}b` },
      search_indexes: ['{{ data.a }}'],
    })
    await c.finds(`data:${c.tag}a`, [id], 'the index value')
    await c.finds(`data:${c.tag}b`, [], 'another member of the data')
  },
  'SEA-026.a: an index expression without a value makes the create fail with 400': c =>
    c.refuses(
      { status: 400 },
      index =>
        c.asPrivate('POST', '/tokens', {
          type: 'token',
          data: { a: 'x', n: null, e: '' },
          search_indexes: [index],
        }),
      '{{ data.a }}',
      { null: '{{ data.n }}', 'a member that is not there': '{{ data.b }}', nothing: '{{ data.e }}' },
    ),
  'SEA-027.a: a social security number is found in three forms': async c => {
    const { id } = await c.token({ type: 'social_security_number', data: ssn })
    for (const value of [ssn, '078051120', '1120']) await c.finds(`data:${value}`, [id], value)
    await c.finds('data:0781', [], 'another four digits')
  },
  'SEA-027.b: supplied index expressions replace the three defaults': async c => {
    const { id } = await c.token({
      type: 'social_security_number',
      data: ssn,
      search_indexes: ['{{ data | last4 }}'],
    })
    await c.finds('data:1120', [id], 'by its last four digits')
    await c.finds('data:078051120', [], 'without hyphens')
  },
  'SEA-028.a: an employer id number is found in three forms': async c => {
    const { id } = await c.token({ type: 'employer_id_number', data: employerId })
    for (const value of [employerId, '123456789', '6789']) await c.finds(`data:${value}`, [id], value)
    await c.finds('data:1234', [], 'another four digits')
  },
  'SEA-029.a: a token of type token is found by its data only if it has index expressions': async c => {
    await c.token({ data: c.tag })
    const { id } = await c.token({ data: c.tag, search_indexes: ['{{ data }}'] })
    await c.finds(`data:${c.tag}`, [id], 'ids')
  },
  'SEA-030.a: two numbers with the same last four digits are both found': async c => {
    const one = await c.token({ type: 'social_security_number', data: ssn })
    const two = await c.token({ type: 'social_security_number', data: '219-09-1120' })
    await c.finds('data:1120', [one.id, two.id].sort(), 'ids')
  },
  'SEA-031.a: a search shows data whole, masked or not at all, as the caller may see it': async c => {
    const { id } = await c.token(masked)
    for (const [transform, data] of shownUnder) {
      const call = await c.under(transform, ['token:search'])
      await c.finds('', [id], `ids under ${transform}`, call)
      const page = await c.search('', call)
      c.equal(page.data[0].data ?? undefined, data, `data under ${transform}`)
    }
  },
  'SEA-032.a: consecutive pages continue each other, and the first is the default': async c => {
    const made = [await c.token(), await c.token(), await c.token()].map(token => token.id)
    await c.finds('', made, 'all of them')
    const page = async (more: object) => c.ids(await c.search('', undefined, { size: 2, ...more }))
    const [first, second] = [await page({ page: 1 }), await page({ page: 2 })]
    c.equal([first.length, second.length], [2, 1], 'sizes of the pages')
    c.equal([...first, ...second].sort(), made.sort(), 'ids of both')
    c.equal(await page({}), first, 'the default')
  },
  'SEA-033.a: a search that matches 21 tokens shows 20 by default': async c => {
    await Promise.all(Array.from({ length: 21 }, () => c.token()))
    const page = async (size?: number) => c.ids(await c.search('', undefined, { size })).length
    await c.settles(() => page(21), 21, 'tokens on a page of 21')
    c.equal(await page(), 20, 'tokens on a page of the default size')
  },
  'SEA-034.a: a page of 101 is refused or holds 100 tokens, and one of 100 is accepted': async c => {
    const search = (more: object) =>
      c.asPrivate('POST', '/tokens/search', { query: `container:"${c.container}"`, ...more })
    c.success(await search({ size: 100 }), 200, 'a size of 100')
    const [large, negative] = [await search({ size: 101 }), await search({ page: -1 })]
    c.surrogate(() => c.refused(large, 400, 'a size of 101'))
    c.surrogate(() => c.refused(negative, 400, 'a negative page'))
    if (large.status >= 400) return
    await Promise.all(Array.from({ length: 101 }, () => c.token()))
    const page = async () => c.ids(c.success(await search({ size: 101 }), 200).body).length
    await c.settles(page, 100, 'tokens on a page of 101')
  },
  'SEA-035.a: a deleted token is not found': async c => {
    const { id } = await c.token({ search_indexes: ['{{ data }}'] })
    await c.finds(`data:${c.tag}`, [id], 'ids before')
    c.success(await c.asPrivate('DELETE', `/tokens/${id}`), 204)
    await c.finds(`data:${c.tag}`, [], 'ids after')
  },
})
