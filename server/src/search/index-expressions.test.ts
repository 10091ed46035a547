import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'

const vault = openVault(t)
const create = (tenant: TestTenant, body: object) =>
  tenant.send('POST', '/tokens', { type: 'token', ...body } as never)

async function found(tenant: TestTenant, ...values: string[]): Promise<boolean[]> {
  const totals: boolean[] = []
  for (const value of values) {
    const { json } = await tenant.send('POST', '/tokens/search', { query: `data:"${value}"` })
    totals.push(json.pagination.total_items === 1)
  }
  return totals
}

t.test('an expression that gives no single value refuses the token, and says which it is', async t => {
  const tenant = await openTenant(vault)
  const data = { text: 'x', empty: '', nothing: null, list: ['a'], object: { a: 1 }, zero: 0, no: false }
  const outcomes: readonly (readonly [expression: string, accepted: boolean])[] = [
    ['{{ data.text }}', true],
    ['constant', true],
    ['{{ data.zero }}', true],
    ['{{ data.no }}', true],
    ['{{ data.list | first }}', true],
    ['{{ data.list | join: "," }}', true],
    ['{{ data.text }}{{ data.empty }}', true],
    ['', false],
    ['{{ data.empty }}', false],
    ['{{ data.nothing }}', false],
    ['{{ data.missing }}', false],
    ['{{ data.missing.deeper }}', false],
    ['{{ data.list }}', false],
    ['{{ data.object }}', false],
    ['{{ data }}', false],
    ['{% if false %}x{% endif %}', false],
    ['{{ data.text', false],
    ['{{ data.text | no_such_filter }}', false],
  ]
  for (const [expression, accepted] of outcomes) {
    const { status, json } = await create(tenant, { data, search_indexes: ['fine', expression] })
    t.equal(status, accepted ? 201 : 400, expression)
    if (!accepted) t.same(Object.keys(json.errors), ['search_indexes.1'], expression)
  }
  const { status, json } = await create(tenant, {
    data,
    search_indexes: ['{{ data.empty }}', 'a', '{{ data.list }}'],
  })
  t.equal(status, 400)
  t.same(Object.keys(json.errors), ['search_indexes.0', 'search_indexes.2'], 'all of them at once')
})

t.test('a patch evaluates them anew, whether it changes them or the data', async t => {
  const tenant = await openTenant(vault)
  const search_indexes = ['{{ data.name }}']
  const { id } = (await create(tenant, { data: { name: 'Ann', city: 'Rome' }, search_indexes })).json
  const patch = async (body: object) => (await tenant.send('PATCH', `/tokens/${id}`, body as never)).status
  t.same(await found(tenant, 'ANN', 'Bob', 'Rome'), [true, false, false])
  t.equal(await patch({ data: { name: 'Bob' } }), 200)
  t.same(await found(tenant, 'Ann', 'bob', 'Rome'), [false, true, false])
  t.equal(await patch({ search_indexes: ['{{ data.city }}'] }), 200)
  t.same(await found(tenant, 'Ann', 'Bob', 'ROME'), [false, false, true])
  t.equal(await patch({ data: { city: null } }), 400, 'what the index needs is gone')
  t.equal(await patch({ search_indexes: ['{{ data.gone }}'] }), 400)
  t.same(await found(tenant, 'Rome'), [true], 'nothing of it was done')
  t.equal(await patch({ metadata: { k: 'v' } }), 200)
  t.same(await found(tenant, 'Rome'), [true])
  t.equal(await patch({ search_indexes: null }), 200)
  t.same(await found(tenant, 'Rome'), [false])
})

t.test('equal values of several expressions are one, and those of several tokens are several', async t => {
  const tenant = await openTenant(vault)
  await create(tenant, { data: 'Same', search_indexes: ['{{ data }}', '{{ data | downcase }}', 'same'] })
  t.same(await found(tenant, 'SAME'), [true])
  await create(tenant, { data: 'same', search_indexes: ['{{ data }}'] })
  const { json } = await tenant.send('POST', '/tokens/search', { query: 'data:same' })
  t.equal(json.pagination.total_items, 2)
})
