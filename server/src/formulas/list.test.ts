import t from 'tap'
import { openTenant, openVault, type TestTenant } from '../../verify/support/vault.ts'
import type { JsonObject } from '../base/json/json.ts'

const shipped = 2

async function made(tenant: TestTenant, name: string, type = 'private'): Promise<string> {
  const body = { name, type, code: 'module.exports = () => ({})' }
  const reply = await tenant.asManagement('POST', '/reactor-formulas', body)
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json.name
}

const names = (reply: { json: { data: JsonObject[] } }) => reply.json.data.map(({ name }) => name)

t.test('own and official formulas are one list, newest first, with exact totals', async t => {
  const vault = openVault(t)
  const operator = await openTenant(vault, { operator: true })
  const tenant = await openTenant(vault)
  const other = await openTenant(vault)
  const expected: string[] = []
  for (let index = 0; index < 25; index++) {
    await vault.clock.advance(1000)
    const who = index % 3 === 0 ? operator : tenant
    expected.unshift(await made(who, `F${index}`, index % 3 === 0 ? 'official' : 'private'))
    await made(other, `Not yours ${index}`)
  }
  const all = [...expected, 'Deduplicating card tokenizer', 'Card BIN and Luhn check']
  for (const size of [1, 4, 10, 100]) {
    const seen: unknown[] = []
    for (let page = 1; page <= Math.ceil(all.length / size); page++) {
      const reply = await tenant.asManagement('GET', `/reactor-formulas?page=${page}&size=${size}`)
      t.same(reply.json.pagination, {
        total_items: all.length,
        page_number: page,
        page_size: size,
        total_pages: Math.ceil(all.length / size),
      })
      seen.push(...names(reply))
    }
    t.same(seen, all, `pages of ${size}`)
  }
  const past = await tenant.asManagement('GET', '/reactor-formulas?page=9&size=100')
  t.same(
    { data: past.json.data, total_items: past.json.pagination.total_items },
    { data: [], total_items: all.length },
  )
  for (const query of ['page=0', 'size=0', 'size=101', 'page=x'])
    t.equal((await tenant.asManagement('GET', `/reactor-formulas?${query}`)).status, 400, query)
})

t.test('a name finds its formulas, wherever they are kept, in pages', async t => {
  const vault = openVault(t)
  const operator = await openTenant(vault, { operator: true })
  const tenant = await openTenant(vault)
  // More than are open at a time.
  for (let index = 0; index < 120; index++)
    await made(tenant, index % 2 === 0 ? `Even ${index}` : `Odd ${index}`)
  await made(operator, 'An official even', 'official')
  const find = async (filter: string, more = '') => {
    return tenant.asManagement('GET', `/reactor-formulas?name=${encodeURIComponent(filter)}${more}`)
  }
  t.match((await find('even', '&size=100')).json, { pagination: { total_items: 61 } })
  t.same(names(await find('EVEN*', '&size=2&page=2')), ['Even 114', 'Even 112'])
  t.same(names(await find('*even')), ['An official even'])
  t.same(names(await find('odd 1')), [
    'Odd 119',
    'Odd 117',
    'Odd 115',
    'Odd 113',
    'Odd 111',
    'Odd 109',
    'Odd 107',
    'Odd 105',
    'Odd 103',
    'Odd 101',
    'Odd 19',
    'Odd 17',
    'Odd 15',
    'Odd 13',
    'Odd 11',
    'Odd 1',
  ])
  t.same(names(await find('card*check')), ['Card BIN and Luhn check'])
  t.match((await find('nothing')).json, { pagination: { total_items: 0, total_pages: 0 }, data: [] })
  t.equal((await find('*')).json.pagination.total_items, 121 + shipped)
})
