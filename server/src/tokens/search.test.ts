import t, { type Test } from 'tap'
import { openTenant, openVault, type Reply, type Send, type TestTenant } from '../../verify/support/vault.ts'
import { brokenQueries } from '../search/refusals.cases.ts'

const vault = openVault(t)

async function add(tenant: TestTenant, body: object): Promise<string> {
  const reply = await tenant.send('POST', '/tokens', { type: 'token', data: 1, ...body } as never)
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json.id
}

const ids = (reply: Reply): string[] => reply.json.data.map((token: { id: string }) => token.id)

/** The ids a query finds, sorted; the total must agree. */
async function find(t: Test, send: Send, query: string) {
  const reply = await send('POST', '/tokens/search', { query, size: 100 })
  if (reply.status !== 200) throw new Error(`${query}: ${reply.text}`)
  t.equal(reply.json.pagination.total_items, reply.json.data.length, query)
  return ids(reply).sort()
}

t.test('every field finds its tokens, and no others', async t => {
  const tenant = await openTenant(vault)
  const one = await add(tenant, {
    id: 'Order-ONE',
    data: { email: 'Ann@Example.org' },
    containers: ['/Shop/EU/'],
    metadata: { Customer: 'C 1', tier: 'gold' },
    search_indexes: ['{{ data.email }}'],
  })
  await vault.clock.advance(24 * 3600 * 1000)
  const two = await add(tenant, {
    id: 'order-two',
    type: 'social_security_number',
    data: '123-45-6789',
    containers: ['/shop/'],
    metadata: { customer: 'c 2', tier: 'gold' },
  })
  const three = await add(tenant, {
    id: 'order-three',
    type: 'card_number',
    data: '4242424242424242',
    containers: ['/shop/eu/west/', '/other/'],
    metadata: { customer: 'C 1 ' },
  })
  await tenant.send('PATCH', `/tokens/${two}`, { metadata: { seen: 'yes' } })
  const { json: first } = await tenant.send('GET', `/tokens/${one}`)
  const { json: second } = await tenant.send('GET', `/tokens/${two}`)
  const day = first.created_at.slice(0, 10)
  const nextDay = second.created_at.slice(0, 10)
  const expectations: readonly (readonly [query: string, found: readonly string[]])[] = [
    ['', [one, two, three]],
    ['id:order-one', [one]],
    ['id:ORDER-TWO', [two]],
    ['id:order', []],
    ['type:TOKEN', [one]],
    ['type:card', []],
    ['type:no_such_type', []],
    ['data:ann@example.ORG', [one]],
    ['data:ann@example', []],
    ['data:6789 OR data:123456789', [two]],
    ['data:123-45-6789', [two]],
    ['data:4242424242424242', []],
    [`fingerprint:${second.fingerprint.toUpperCase()}`, [two]],
    [`fingerprint:${second.fingerprint.slice(1)}`, []],
    ['container:/shop', [two]],
    ['container:/SHOP/eu/', [one]],
    ['container:"/shop/*"', [one, two, three]],
    ['container:"/shop/eu/*"', [one, three]],
    ['container:/other/', [three]],
    ['container:/sho/*', []],
    ['container:/*', [one, two, three]],
    ['metadata.customer:"c 1"', [one]],
    ['metadata.CUSTOMER:"C 1"', [one]],
    ['metadata.customer:"C 1 "', [three]],
    ['metadata.customer:c', []],
    ['metadata.tier:gold', [one, two]],
    ['metadata.tie:rgold', []],
    [`created_by:${first.created_by}`, [one, two, three]],
    [`created_by:${first.created_by.toUpperCase()}`, [one, two, three]],
    [`modified_by:${second.modified_by}`, [two]],
    [`created_at:${day}`, [one]],
    [`created_at:${first.created_at}`, [one]],
    [`created_at:[${day} TO ${nextDay}]`, [one, two, three]],
    [`created_at:{${day} TO ${nextDay}]`, [two, three]],
    [`created_at:[${day} TO ${nextDay}}`, [one]],
    [`created_at:{${first.created_at} TO ${second.created_at}}`, []],
    [`created_at:[${second.created_at} TO *]`, [two, three]],
    [`created_at:[* TO ${second.created_at}]`, [one, two]],
    [`created_at:[${nextDay} TO ${day}]`, []],
    [`modified_at:${nextDay}`, [two]],
    ['modified_at:[* TO *]', [two]],
    ['NOT modified_at:[* TO *]', [one, three]],
    [`modified_at:${second.modified_at}`, [two]],
    ['metadata.tier:gold AND NOT type:token', [two]],
    ['metadata.tier:gold NOT type:token', [two]],
    ['-container:"/shop/eu/*" OR type:token', [one, two]],
  ]
  for (const [query, found] of expectations)
    t.same(await find(t, tenant.send, query), [...found].sort(), query)
})

t.test('letters whose lower case depends on their neighbours are found in any case', async t => {
  const tenant = await openTenant(vault)
  const sigma = await add(tenant, { metadata: { ΟΔΟΣ: 'ΑΣ' } })
  const dotted = await add(tenant, { metadata: { İ: 'x' } })
  t.same(await find(t, tenant.send, 'metadata.οδος:ας'), [sigma])
  t.same(await find(t, tenant.send, 'metadata.i\u0307:x'), [dotted])
})

t.test('a search sees what was written before it', async t => {
  const tenant = await openTenant(vault)
  const id = await add(tenant, { metadata: { stage: 'new' } })
  t.same(await find(t, tenant.send, 'metadata.stage:new'), [id])
  await tenant.send('PATCH', `/tokens/${id}`, { metadata: { stage: 'old' } })
  t.same(await find(t, tenant.send, 'metadata.stage:new'), [])
  t.same(await find(t, tenant.send, 'metadata.stage:old AND modified_at:[* TO *]'), [id])
  await tenant.send('DELETE', `/tokens/${id}`)
  t.same(await find(t, tenant.send, ''), [])
})

t.test('a search gives what is permitted under token:search, transformed by its rule', async t => {
  const tenant = await openTenant(vault)
  const a = await add(tenant, { id: 'in-a', containers: ['/a/'], data: 'whole', mask: 'masked' })
  const both = await add(tenant, { id: 'in-both', containers: ['/a/', '/b/'], data: 'whole', mask: 'masked' })
  const b = await add(tenant, { id: 'in-b', containers: ['/b/'], data: 'whole', mask: 'masked' })
  const rule = (priority: number, where: object, transform = 'mask', permission = 'token:search') => ({
    priority,
    transform,
    permissions: [permission],
    ...where,
  })
  const onId = { conditions: [{ attribute: 'id', operator: 'equals', value: b }] }
  const inA = await tenant.application({ rules: [rule(1, { container: '/a/' })] } as never)
  t.same(await find(t, inA, ''), [a])
  t.same(await find(t, inA, 'NOT id:nothing'), [a])
  t.same(await find(t, inA, 'container:/b/'), [], 'a query does not widen the rights')
  const inAAndOne = await tenant.application({
    rules: [rule(1, { container: '/a/' }), rule(2, onId, 'reveal')],
  } as never)
  t.same(await find(t, inAAndOne, ''), [a, b].sort())
  const reply = await inAAndOne('POST', '/tokens/search', { query: '' })
  t.same(
    reply.json.data.map((token: { id: string; data: string }) => [token.id, token.data]),
    [
      [b, 'whole'],
      [a, 'masked'],
    ],
  )
  const inBoth = await tenant.application({
    rules: [rule(1, { container: '/a/' }), rule(2, { container: '/b/' })],
  } as never)
  t.same(await find(t, inBoth, ''), [a, b, both].sort())
  const reader = await tenant.application({
    rules: [rule(1, { container: '/' }, 'reveal', 'token:read')],
  } as never)
  t.equal((await reader('POST', '/tokens/search', {})).status, 403, 'token:read does not search')
  t.equal((await tenant.asPublic('POST', '/tokens/search', {})).status, 403)
  t.equal((await tenant.asManagement('POST', '/tokens/search', {})).status, 403)
})

t.test('combinations of containers count from the moment there is a token in them', async t => {
  const tenant = await openTenant(vault)
  const rules = ['/a/', '/b/'].map((container, index) => ({
    priority: index + 1,
    container,
    transform: 'mask',
    permissions: ['token:search'],
  }))
  const inEither = await tenant.application({ rules } as never)
  const found: string[] = []
  const addIn = async (...containers: string[]) => found.push(await add(tenant, { containers }))
  t.same(await find(t, inEither, ''), [])
  await addIn('/a/', '/b/')
  t.same(await find(t, inEither, ''), [...found].sort())
  await addIn('/A/x/', '/b/')
  await addIn('/a/', '/a/x/')
  await add(tenant, { containers: ['/a/', '/c/'] })
  t.same(await find(t, inEither, ''), [...found].sort())
  await addIn('/b/', '/B/y/', '/a/')
  t.same(await find(t, inEither, ''), [...found].sort())
  const [first = ''] = found
  await tenant.send('PATCH', `/tokens/${first}`, { containers: ['/a/', '/d/'] } as never)
  t.same(await find(t, inEither, ''), found.slice(1).sort())
})

t.test('every broken query is a 400 that names the member and the position', async t => {
  const tenant = await openTenant(vault)
  for (const [query, position] of brokenQueries) {
    const { status, json } = await tenant.send('POST', '/tokens/search', { query })
    t.equal(status, 400, query)
    t.equal(json.type, 'urn:surrogate:error:invalid_query', query)
    t.match(json.errors?.query?.[0], new RegExp(`\\(at position ${position}\\)$`), query)
  }
})

t.test('members of the request are checked, and null is absent', async t => {
  const tenant = await openTenant(vault)
  const id = await add(tenant, {})
  const search = (body: object) => tenant.send('POST', '/tokens/search', body as never)
  t.same(ids(await search({ query: null, page: null, size: null, start: null })), [id])
  t.same((await search({ size: 1 })).json.pagination, {
    total_items: 1,
    page_number: 1,
    page_size: 1,
    total_pages: 1,
  })
  t.same((await search({ page: 7 })).json.data, [])
  const refused: readonly (readonly [object, string])[] = [
    [{ query: 1 }, 'query'],
    [{ page: 0 }, 'page'],
    [{ page: 1.5 }, 'page'],
    [{ page: '1' }, 'page'],
    [{ size: 0 }, 'size'],
    [{ size: 101 }, 'size'],
    [{ start: '' }, 'start'],
    [{ start: 'x' }, 'start'],
    [{ start: 'x'.repeat(201) }, 'start'],
  ]
  for (const [body, member] of refused) {
    const { status, json } = await search(body)
    t.equal(status, 400, JSON.stringify(body))
    t.ok(json.errors[member], JSON.stringify(body))
  }
})
