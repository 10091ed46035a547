import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'

const vault = openVault(t)

async function add(tenant: TestTenant, body: object): Promise<string> {
  const reply = await tenant.send('POST', '/tokens', { type: 'token', data: 1, ...body } as never)
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json.id
}

const ids = (reply: { json: { data: { id: string }[] } }) => reply.json.data.map(token => token.id)

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
