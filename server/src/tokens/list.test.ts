import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'

const vault = openVault(t)

async function add(tenant: TestTenant, body: object): Promise<string> {
  const reply = await tenant.send('POST', '/tokens', { type: 'token', data: 1, ...body } as never)
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json.id
}

const ids = (reply: { json: { data: { id: string }[] } }) => reply.json.data.map(token => token.id)

t.test('pages run from the newest to the oldest, with exact totals', async t => {
  const tenant = await openTenant(vault)
  const made: string[] = []
  for (let index = 0; index < 25; index++) made.unshift(await add(tenant, {}))
  const first = await tenant.send('GET', '/tokens')
  const { next, ...numbers } = first.json.pagination
  t.same(numbers, { total_items: 25, page_number: 1, page_size: 20, total_pages: 2 })
  t.type(next, 'string')
  t.same(ids(first), made.slice(0, 20))
  t.same(ids(await tenant.send('GET', '/tokens?page=2')), made.slice(20))
  const third = await tenant.send('GET', '/tokens?size=10&page=3')
  t.same(third.json.pagination, { total_items: 25, page_number: 3, page_size: 10, total_pages: 3 })
  t.same(ids(third), made.slice(20))
  const beyond = await tenant.send('GET', '/tokens?page=9')
  t.same(beyond.json, {
    pagination: { total_items: 25, page_number: 9, page_size: 20, total_pages: 2 },
    data: [],
  })
  const stamps = first.json.data.map((token: { created_at: string }) => token.created_at)
  t.same(stamps, [...new Set<string>(stamps)].sort().reverse(), 'strictly descending')
})

t.test('filters by id, type and metadata, alone and together', async t => {
  const tenant = await openTenant(vault)
  const a = await add(tenant, { id: 'id-a', metadata: { Kind: 'One', lang: 'de' } })
  const b = await add(tenant, { id: 'id-b', metadata: { kind: 'one' } })
  const c = await add(tenant, {
    id: 'id-c',
    type: 'card_number',
    data: '4242424242424242',
    metadata: { kind: 'two' },
  })
  const find = async (query: string) => {
    const reply = await tenant.send('GET', `/tokens?${query}`)
    t.equal(reply.json.pagination.total_items, reply.json.data.length, query)
    return ids(reply).sort()
  }
  t.same(await find(`id=${a}&id=${c}&id=missing`), [a, c])
  t.same(await find('type=card_number'), [c])
  t.same(await find('type=card_number&type=token'), [a, b, c])
  t.same(await find('type=no_such_type'), [])
  t.same(await find('metadata.kind=ONE'), [a, b], 'without regard to case')
  t.same(await find('metadata.kind=on'), [], 'whole values only')
  t.same(await find('metadata.kind=one&metadata.lang=de'), [a])
  t.same(await find('metadata.kind=one&metadata.kind=two'), [a, b], 'a repeated key is ignored')
  t.same(await find(`id=${a}&type=card_number`), [])
  t.same(await find('unknown=1'), [a, b, c])
})

t.test('a list shows what the caller may read, and counts nothing else', async t => {
  const tenant = await openTenant(vault)
  const a = await add(tenant, { containers: ['/a/'] })
  const ab = await add(tenant, { containers: ['/a/', '/B/'] })
  const deep = await add(tenant, { containers: ['/A/deep/'] })
  const b = await add(tenant, { containers: ['/b/'] })
  const named = await add(tenant, { id: 'named', containers: ['/c/', '/d/'] })
  const see = async (rules: object[], permissions: string[] = []) => {
    const reader = await tenant.application({ rules, permissions } as never)
    const reply = await reader('GET', '/tokens')
    t.equal(reply.json.pagination.total_items, reply.json.data.length)
    return ids(reply).sort()
  }
  const rule = (priority: number, where: object) => ({
    priority,
    transform: 'mask',
    permissions: ['token:read'],
    ...where,
  })
  const on = (attribute: string, operator: string, value: string) => ({ attribute, operator, value })
  t.same(await see([rule(1, { container: '/a/' })]), [a, deep].sort())
  t.same(await see([rule(1, { container: '/a/' }), rule(2, { container: '/b/' })]), [a, ab, deep, b].sort())
  t.same(await see([rule(1, { conditions: [on('container', 'equals', '/a/')] })]), [a])
  t.same(await see([rule(1, { conditions: [on('container', 'starts_with', '/A/')] })]), [a, deep].sort())
  t.same(await see([rule(1, { conditions: [on('id', 'equals', named)] })]), [named])
  t.same(
    await see([rule(1, { conditions: [on('id', 'equals', named), on('container', 'equals', '/c/')] })]),
    [],
  )
  t.same(await see([rule(1, { container: '/nowhere/' })]), [])
  t.same(await see([], ['token:read']), [a, ab, deep, b, named].sort())
})

t.test('each token of a list is shown by its own rule', async t => {
  const tenant = await openTenant(vault)
  await add(tenant, { id: 'open', containers: ['/open/'], data: 'whole', mask: 'masked' })
  await add(tenant, { id: 'half', containers: ['/half/'], data: 'whole', mask: 'masked' })
  await add(tenant, { id: 'shut', containers: ['/shut/'], data: 'whole', mask: 'masked' })
  const reader = await tenant.application({
    rules: ['reveal', 'mask', 'redact'].map((transform, index) => ({
      priority: index + 1,
      container: ['/open/', '/half/', '/shut/'][index],
      transform,
      permissions: ['token:read'],
    })),
  } as never)
  const { json } = await reader('GET', '/tokens')
  t.same(
    json.data.map((token: { id: string; data?: string }) => [token.id, token.data]),
    [
      ['shut', undefined],
      ['half', 'masked'],
      ['open', 'whole'],
    ],
  )
})

t.test('tenants do not see each other', async t => {
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const id = await add(tenant, { id: 'mine' })
  t.equal((await other.send('GET', `/tokens/${id}`)).status, 404)
  t.equal((await other.send('PATCH', `/tokens/${id}`, { data: 2 })).status, 404)
  t.equal((await other.send('DELETE', `/tokens/${id}`)).status, 404)
  t.same(ids(await other.send('GET', '/tokens?id=mine')), [])
})
