import { cases } from '../harness/case.ts'
import type { Context } from '../harness/context.ts'

/** Creates three tokens that differ in two metadata entries. Each case searches its own container only. */
async function three(c: Context) {
  const make = async (color: string, size: string) =>
    (await c.token({ metadata: { color, size } })).id as string
  return {
    redBig: await make('red', 'big'),
    redSmall: await make('red', 'small'),
    blueBig: await make('blue', 'big'),
  }
}

const send = (c: Context) => (query: unknown) => c.asPrivate('POST', '/tokens/search', { query })

/** Specification, section 4.2: the syntax of a query. */
export const searchQueryCases = cases({
  'SEA-001.a: a search returns pagination and tokens': async c => {
    const { id } = await c.token()
    await c.finds('', [id], 'ids')
    const page = await c.search('')
    c.ok(
      typeof page?.pagination === 'object' && page.pagination !== null,
      'pagination is an object',
      page?.pagination,
    )
    c.equal(page.data[0].data, c.tag, 'data')
  },
  'SEA-002.a: a search without a query is accepted': async c => {
    await c.token()
    const all = async () => c.success(await c.asPrivate('POST', '/tokens/search', {}), 200).body
    await c.settles(async () => c.ids(await all()).length > 0, true, 'it finds tokens')
  },
  'SEA-003.a: AND finds tokens that both terms match': async c => {
    const { redBig, redSmall } = await three(c)
    await c.finds('metadata.color:red', [redBig, redSmall].sort(), 'one term')
    await c.finds('metadata.color:red AND metadata.size:big', [redBig], 'two terms')
  },
  'SEA-004.a: OR finds tokens that either term matches': async c => {
    const { redSmall, blueBig } = await three(c)
    await c.finds('metadata.color:blue OR metadata.size:small', [redSmall, blueBig], 'two terms')
  },
  'SEA-005.a: NOT, ! and - exclude tokens that the term matches': async c => {
    const { redBig, redSmall, blueBig } = await three(c)
    await c.finds('NOT metadata.color:blue', [redBig, redSmall].sort(), 'NOT')
    await c.finds('!metadata.color:blue', [redBig, redSmall].sort(), '!')
    await c.finds('-metadata.color:blue', [redBig, redSmall].sort(), '-')
    await c.finds('metadata.size:big AND NOT metadata.color:red', [blueBig], 'behind AND')
  },
  'SEA-006.a: parentheses change the grouping of terms': async c => {
    const { redBig, blueBig } = await three(c)
    const grouped = 'metadata.size:big AND (metadata.color:red OR metadata.color:blue)'
    await c.finds(grouped, [redBig, blueBig], 'a group behind AND')
    await c.finds('NOT (metadata.color:red AND metadata.size:small)', [redBig, blueBig].sort(), 'NOT a group')
  },
  'SEA-007.a: lower-case operators do not join terms': async c => {
    await three(c)
    const joined = 'metadata.color:red OR metadata.color:blue'
    c.success(await send(c)(joined), 200, 'the control')
    for (const operator of ['or', 'Or']) {
      const reply = await send(c)(joined.replace('OR', operator))
      // Refusing it is one way of not treating it as the operator, and the one that we chose.
      c.surrogate(() => c.refused(reply, 400, operator))
      if (reply.status < 300) {
        const both = await c.asPrivate('POST', '/tokens/search', { query: joined })
        c.ok(
          JSON.stringify(c.ids(reply.body)) !== JSON.stringify(c.ids(both.body)),
          `${operator} is not an operator`,
          c.ids(reply.body),
        )
      }
    }
  },
  'SEA-008.a: a value with spaces in double quotes is one value': async c => {
    const { id } = await c.token({ metadata: { name: 'Jane Roe' } })
    await c.token({ metadata: { name: 'Jane' } })
    await c.finds('metadata.name:"Jane Roe"', [id], 'ids')
  },
  'SEA-009.a: a metadata term compares whole values without regard to case': async c => {
    const { id } = await c.token({ metadata: { name: 'JaneRoe' } })
    await c.finds('metadata.name:JaneRoe', [id], 'the exact value')
    await c.finds('metadata.name:jANErOE', [id], 'in another case')
    await c.finds('metadata.name:Jane', [], 'a part')
  },
  'SEA-010.a: a container term does not find tokens of parents and children': async c => {
    const parent = await c.token({ containers: [c.container] })
    const child = await c.token({ containers: [`${c.container}a/`] })
    await c.token({ containers: [`${c.container}a/b/`] })
    const search = async (container: string) =>
      c.ids(
        c.success(await c.asPrivate('POST', '/tokens/search', { query: `container:"${container}"` }), 200)
          .body,
      )
    const middle = `${c.container}a/`
    await c.settles(() => search(middle), [child.id], 'the container in the middle')
    await c.settles(() => search(c.container), [parent.id], 'the one above')
  },
  'SEA-011.a: a container term with * finds tokens of the container and all below it': async c => {
    const ids = [
      (await c.token({ containers: [`${c.container}a/`] })).id,
      (await c.token({ containers: [`${c.container}a/b/`] })).id,
      (await c.token({ containers: [`${c.container}a/b/c/`] })).id,
    ]
    await c.token({ containers: [`${c.container}ab/`] })
    const query = `container:"${c.container}a/*"`
    const search = async () =>
      c.ids(c.success(await c.asPrivate('POST', '/tokens/search', { query }), 200).body).sort()
    await c.settles(search, ids.sort(), 'ids')
  },
  'SEA-012.a: a * within a container path is refused': c =>
    c.refuses(400, send(c), `container:"${c.container}a/*"`, {
      'in the middle': `container:"${c.container}*/a/"`,
      'at the start': `container:"*${c.container}"`,
    }),
  'SEA-016.a: a data term compares whole index values without regard to case': async c => {
    const { id } = await c.token({ data: `Value${c.tag}`, search_indexes: ['{{ data }}'] })
    await c.finds(`data:Value${c.tag}`, [id], 'the exact value')
    await c.finds(`data:vALUE${c.tag.toUpperCase()}`, [id], 'in another case')
    await c.finds('data:Value', [], 'a part')
  },
  'SEA-017.a: wildcards, fuzziness, boosts and regular expressions do not work': async c => {
    const { id } = await c.token({ metadata: { a: 'bcd' }, data: '1234', search_indexes: ['{{ data }}'] })
    await c.finds('metadata.a:bcd', [id], 'the control')
    const other = ['metadata.a:bc*', 'metadata.a:b?d', 'metadata.a:bce~', 'metadata.a:/b.d/', 'data:12*']
    for (const query of other) {
      const own = `container:"${c.container}" AND ${query}`
      const reply = await c.asPrivate('POST', '/tokens/search', { query: own })
      if (reply.status < 300) c.equal(c.ids(reply.body), [], `found by ${query}`)
      else c.refused(reply, 400, query)
      c.surrogate(() => c.refused(reply, 400, query))
    }
  },
  'SEA-018.a: an invalid query is refused': c =>
    c.refuses<unknown>(400, send(c), 'id:abc AND (type:token)', {
      'an open parenthesis': 'id:abc AND (type:token',
      'a closed one too many': 'id:abc AND type:token)',
      'an operator without a term': 'id:abc AND',
      'a term without a field': 'abc',
      'an open quote': 'id:"abc',
      'a range that is open': 'created_at:[2030-01-01 TO',
      'a malformed date': 'created_at:yesterday',
      'a number': 1,
    }),
})
