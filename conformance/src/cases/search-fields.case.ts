import { cases } from '../harness/case.ts'
import { card, employerId, masked, shownUnder, ssn } from './values.ts'

/** Specification, section 4.2: fields, pages and shown data. */
export const searchFieldCases = cases({
  'SEA-013.a': [
    'a range in square brackets includes its ends',
    async c => {
      const [one, two, three] = [await c.token(), await c.token(), await c.token()]
      const query = `created_at:[${one.created_at} TO ${two.created_at}]`
      c.equal(await c.found(query), [one.id, two.id].sort(), `ids between the first and the second`)
      c.ok(three.created_at > two.created_at, 'the third is later')
    },
  ],
  'SEA-014.a': [
    'a range in braces excludes its ends',
    async c => {
      const [one, two, three] = [await c.token(), await c.token(), await c.token()]
      c.equal(await c.found(`created_at:{${one.created_at} TO ${three.created_at}}`), [two.id], 'ids')
    },
  ],
  'SEA-015.a': [
    'a * leaves an end of a range open',
    async c => {
      const [one, two] = [await c.token(), await c.token()]
      c.equal(await c.found(`created_at:[${two.created_at} TO *]`), [two.id], 'open at the end')
      c.equal(await c.found(`created_at:[* TO ${one.created_at}]`), [one.id], 'open at the start')
      c.equal(await c.found('created_at:[* TO *]'), [one.id, two.id].sort(), 'open at both')
    },
  ],
  'SEA-019.a': [
    'a token is found by its id',
    async c => {
      const [one] = [await c.token(), await c.token()]
      c.equal(await c.found(`id:${one.id}`), [one.id], 'ids')
      c.equal(await c.found(`id:"${one.id}"`), [one.id], 'ids, quoted')
    },
  ],
  'SEA-020.a': [
    'tokens are found by their type',
    async c => {
      const one = await c.token({ type: 'card', data: card })
      const two = await c.token()
      c.equal(await c.found('type:card'), [one.id], 'cards')
      c.equal(await c.found('type:token'), [two.id], 'tokens')
    },
  ],
  'SEA-021.a': [
    'tokens are found by their fingerprint',
    async c => {
      const one = await c.token({ data: `${c.tag}1` })
      await c.token({ data: `${c.tag}2` })
      c.equal(await c.found(`fingerprint:"${one.fingerprint}"`), [one.id], 'ids')
    },
  ],
  'SEA-022.a': [
    'tokens are found by their creator',
    async c => {
      const { id, call } = await c.ruled('reveal', ['token:create'])
      const one = await c.token({}, call)
      const two = await c.token()
      c.equal(await c.found(`created_by:${id}`), [one.id], 'those of one application')
      c.equal(await c.found(`created_by:${two.created_by}`), [two.id], 'those of another')
    },
    'applications',
  ],
  'SEA-023.a': [
    'tokens are found by the time of their creation',
    async c => {
      const [one, two] = [await c.token(), await c.token()]
      c.equal(await c.found(`created_at:[${one.created_at} TO ${one.created_at}]`), [one.id], 'an instant')
      c.equal(await c.found('created_at:[2000-01-01 TO *]'), [one.id, two.id].sort(), 'since a date')
      c.equal(await c.found('created_at:[2000-01-01 TO 2001-01-01]'), [], 'before they were')
    },
  ],
  'SEA-024.a': [
    'tokens are found by the application and the time of their last change',
    async c => {
      const [one, two] = [await c.token(), await c.token()]
      const { modified_by, modified_at } = await c.patch(one.id, { metadata: { a: 'b' } })
      c.equal(await c.found(`modified_by:${modified_by}`), [one.id], 'modified_by')
      c.equal(await c.found(`modified_at:[${modified_at} TO ${modified_at}]`), [one.id], 'modified_at')
      c.equal(await c.found('NOT modified_at:[* TO *]'), [two.id], 'the one that was not modified')
    },
  ],
  'SEA-025.a': [
    'data that is not an index value is not found',
    async c => {
      const { id } = await c.token({
        data: { a: `${c.tag}a`, b: `${c.tag}b` },
        search_indexes: ['{{ data.a }}'],
      })
      c.equal(await c.found(`data:${c.tag}a`), [id], 'the index value')
      c.equal(await c.found(`data:${c.tag}b`), [], 'another member of the data')
    },
  ],
  'SEA-026.a': [
    'an index expression without a value makes the create fail with 400',
    c =>
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
  ],
  'SEA-027.a': [
    'a social security number is found in three forms',
    async c => {
      const { id } = await c.token({ type: 'social_security_number', data: ssn })
      for (const value of [ssn, '078051120', '1120']) c.equal(await c.found(`data:${value}`), [id], value)
      c.equal(await c.found('data:0781'), [], 'another four digits')
    },
  ],
  'SEA-027.b': [
    'supplied index expressions replace the three defaults',
    async c => {
      const { id } = await c.token({
        type: 'social_security_number',
        data: ssn,
        search_indexes: ['{{ data | last4 }}'],
      })
      c.equal(await c.found('data:1120'), [id], 'by its last four digits')
      c.equal(await c.found('data:078051120'), [], 'without hyphens')
    },
  ],
  'SEA-028.a': [
    'an employer id number is found in three forms',
    async c => {
      const { id } = await c.token({ type: 'employer_id_number', data: employerId })
      for (const value of [employerId, '123456789', '6789'])
        c.equal(await c.found(`data:${value}`), [id], value)
      c.equal(await c.found('data:1234'), [], 'another four digits')
    },
  ],
  'SEA-029.a': [
    'a token of type token is found by its data only if it has index expressions',
    async c => {
      await c.token({ data: c.tag })
      const { id } = await c.token({ data: c.tag, search_indexes: ['{{ data }}'] })
      c.equal(await c.found(`data:${c.tag}`), [id], 'ids')
    },
  ],
  'SEA-030.a': [
    'two numbers with the same last four digits are both found',
    async c => {
      const one = await c.token({ type: 'social_security_number', data: ssn })
      const two = await c.token({ type: 'social_security_number', data: '219-09-1120' })
      c.equal(await c.found('data:1120'), [one.id, two.id].sort(), 'ids')
    },
  ],
  'SEA-031.a': [
    'a search shows data whole, masked or not at all, as the caller may see it',
    async c => {
      const { id } = await c.token(masked)
      for (const [transform, data] of shownUnder) {
        const { call } = await c.ruled(transform, ['token:search'])
        const page = await c.search('', call)
        c.equal(c.ids(page), [id], `ids under ${transform}`)
        c.equal(page.data[0].data ?? undefined, data, `data under ${transform}`)
      }
    },
  ],
  'SEA-032.a': [
    'consecutive pages continue each other, and the first is the default',
    async c => {
      const made = [await c.token(), await c.token(), await c.token()].map(token => token.id)
      const page = async (more: object) => c.ids(await c.search('', undefined, { size: 2, ...more }))
      const [first, second] = [await page({ page: 1 }), await page({ page: 2 })]
      c.equal([first.length, second.length], [2, 1], 'sizes of the pages')
      c.equal([...first, ...second].sort(), made.sort(), 'ids of both')
      c.equal(await page({}), first, 'the default')
    },
  ],
  'SEA-033.a': [
    'a search that matches 21 tokens shows 20 by default',
    async c => {
      await Promise.all(Array.from({ length: 21 }, () => c.token()))
      c.equal(c.ids(await c.search('', undefined, { size: undefined })).length, 20, 'tokens on the page')
      c.equal(c.ids(await c.search('', undefined, { size: 21 })).length, 21, 'with a size of 21')
    },
  ],
  'SEA-034.a': [
    'a page of 101 is refused, one of 100 accepted',
    c =>
      c.refuses(400, size => c.asPrivate('POST', '/tokens/search', { size }), 100, {
        'a size of 101': 101,
        'a negative page': -1,
      }),
  ],
  'SEA-035.a': [
    'a deleted token is not found',
    async c => {
      const { id } = await c.token({ search_indexes: ['{{ data }}'] })
      c.equal(await c.found(`data:${c.tag}`), [id], 'ids before')
      c.success(await c.asPrivate('DELETE', `/tokens/${id}`), 204)
      c.equal(await c.found(`data:${c.tag}`), [], 'ids after')
    },
  ],
})
