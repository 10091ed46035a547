import t from 'tap'
import { createVault } from '../../server/src/vault.ts'
import { openTenant } from '../../server/verify/support/vault.ts'
import { query, Surrogate } from './index.ts'

t.test('values are quoted, and cannot end their quotes', t => {
  t.equal(query`type:card`, 'type:card')
  t.equal(query`metadata.order:${'a"b\\'} AND NOT id:${7}`, 'metadata.order:"a\\"b\\\\" AND NOT id:"7"')
  t.equal(
    query`created_at:[${new Date(0)} TO ${'2030-01-01'}]`,
    'created_at:["1970-01-01T00:00:00.000Z" TO "2030-01-01"]',
  )
  t.throws(() => query`id:${undefined as never}`, {
    name: 'TypeError',
    message: 'value 1 of query must be set',
  })
  const order = 'x'
  t.throws(() => query(`metadata.order:${order}` as never), {
    name: 'TypeError',
    message: 'query must be the tag of a template',
  })
  t.end()
})

t.test('a server finds with a hostile value exactly what has that value', async t => {
  const vault = createVault({ storage: 'memory:', dev: true })
  t.teardown(() => vault.close())
  const { privateKey } = await openTenant(vault)
  const surrogate = new Surrogate({ apiKey: privateKey, baseUrl: 'http://vault', fetch: vault.fetch })
  const found = async (text: string) =>
    (await surrogate.tokens.search({ query: text }).toArray({ limit: 10 })).map(
      ({ metadata }) => metadata?.order,
    )
  const orders = [
    'nope" OR type:"token',
    'nope',
    '\\',
    '\\"',
    '*',
    'a\nb',
    '',
    '7 OR type:token',
    '{{ data }}',
  ]
  for (const order of orders) await surrogate.tokens.create({ type: 'token', data: 1, metadata: { order } })
  for (const order of orders)
    t.same(await found(query`metadata.order:${order}`), [order], JSON.stringify(order))
  t.equal(
    (await found(`metadata.order:"${orders[0]}"`)).length,
    orders.length,
    'without it everything is found',
  )
  t.equal((await found(query`created_at:[${new Date(0)} TO *] AND metadata.order:${'nope'}`)).length, 1)
})
