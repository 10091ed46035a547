import t from 'tap'
import { openTenant, openVault, sender, type TestTenant } from '../../../verify/support/vault.ts'

/** Tokens made only once: duplicates in a payload, across payloads, and repeated requests. */
const vault = openVault(t)
const card = { type: 'card', data: { number: '4242424242424242' } }
const only = { ...card, deduplicate_token: true }
const keyed = (key: string) => ({ 'SVC-IDEMPOTENCY-KEY': key })

const countOf = async (tenant: TestTenant) =>
  (await tenant.send('GET', '/tokens')).json.pagination.total_items as number

t.test('racing payloads and creates leave one token', async t => {
  const tenant = await openTenant(vault)
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      index % 2
        ? tenant.send('POST', '/tokens', only)
        : tenant.send('POST', '/tokenize', { at: [index, only], bank: index }),
    ),
  )
  t.ok(replies.every(reply => reply.status === 200 || reply.status === 201))
  const ids = replies.map(({ json }) => json.id ?? json.at[1].id)
  t.equal(new Set(ids).size, 1)
  t.equal(await countOf(tenant), 1 + 60)
})

t.test('racing payloads with one own id: one wins, the others leave nothing', async t => {
  const tenant = await openTenant(vault)
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      tenant.send('POST', '/tokenize', [index, { id: 'contested', type: 'token', data: index }]),
    ),
  )
  t.equal(replies.filter(reply => reply.status === 200).length, 1)
  t.equal(replies.filter(reply => reply.status === 409).length, 19)
  t.equal(await countOf(tenant), 2)
})

t.test('racing aliases end in different ids, though few are free', async t => {
  const tenant = await openTenant(vault)
  const made = { id: 'n{{ data | alias_preserve_format: 1, 1 }}', type: 'token', data: '123' }
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => tenant.send('POST', '/tokenize', [made, made, made])),
  )
  const ids = replies.flatMap(({ json }) => json.map((token: { id: string }) => token.id))
  t.equal(new Set(ids).size, 30)
  t.ok(ids.filter(id => /^n1\d3$/.test(id)).length >= 5)
  t.equal(await countOf(tenant), 30)
})

t.test('a failure is not kept, and a race with one key does the work once', async t => {
  const tenant = await openTenant(vault)
  const id = 'wanted'
  await tenant.send('POST', '/tokens', { id, type: 'token', data: 1 })
  const send = () => tenant.send('POST', '/tokenize', ['x', { id, type: 'token', data: 2 }], keyed('one'))
  t.equal((await send()).status, 409)
  await tenant.send('DELETE', `/tokens/${id}`)
  const replies = await Promise.all(Array.from({ length: 10 }, send))
  const done = replies.filter(reply => reply.status === 200)
  t.ok(done.length >= 1)
  t.equal(new Set(done.map(reply => reply.text)).size, 1)
  for (const { status, json } of replies) {
    if (status !== 200) t.match(json, { status: 409, type: 'urn:surrogate:error:idempotency_conflict' })
  }
  t.equal(await countOf(tenant), 2)
})

t.test('a replay survives a restart', async t => {
  const folder = t.testdir()
  const open = () => openVault(t, { storage: `level:${folder}` })
  const own = open()
  const tenant = await openTenant(own)
  const first = await tenant.send('POST', '/tokenize', { card, bare: 1 }, keyed('one'))
  await own.close()
  const again = sender(open(), tenant.privateKey)
  t.same((await again('POST', '/tokenize', { card, bare: 1 }, keyed('one'))).json, first.json)
})
