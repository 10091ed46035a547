import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { MemoryStore } from '../storage/engines/memory/memory-store.ts'

const vault = openVault(t)
const card = { type: 'card', data: { number: '4242424242424242' } }

t.test('equal contents have equal fingerprints within a tenant and a type, and nowhere else', async t => {
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const fingerprint = async (of: typeof tenant, body: object) =>
    (await of.send('POST', '/tokens', body as never)).json.fingerprint
  const first = await fingerprint(tenant, card)
  t.equal(await fingerprint(tenant, { ...card, data: { ...card.data, expiration_month: 1 } }), first)
  t.not(await fingerprint(tenant, { type: 'card_number', data: card.data.number }), first)
  t.not(await fingerprint(tenant, { type: 'card', data: { number: '5555555555554444' } }), first)
  t.not(await fingerprint(other, card), first)
})

t.test('a deduplicating create returns the oldest token and stores nothing', async t => {
  const tenant = await openTenant(vault)
  const oldest = await tenant.send('POST', '/tokens', card)
  const younger = await tenant.send('POST', '/tokens', card)
  t.not(younger.json.id, oldest.json.id, 'without deduplication there are two')
  const again = await tenant.send('POST', '/tokens', { ...card, deduplicate_token: true })
  t.equal(again.status, 200)
  t.same(again.json, oldest.json)
  t.notOk('deduplicate_token' in again.json)
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 2)
})

t.test('100 racing deduplicating creates leave one token', async t => {
  const tenant = await openTenant(vault)
  const body = { ...card, deduplicate_token: true }
  const replies = await Promise.all(Array.from({ length: 100 }, () => tenant.send('POST', '/tokens', body)))
  t.equal(replies.filter(reply => reply.status === 201).length, 1)
  t.equal(replies.filter(reply => reply.status === 200).length, 99)
  t.equal(new Set(replies.map(reply => reply.json.id)).size, 1)
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 1)
})

t.test('deleting or outliving the original makes room', async t => {
  const own = openVault(t)
  const tenant = await openTenant(own)
  const body = { ...card, deduplicate_token: true }
  const first = await tenant.send('POST', '/tokens', body)
  await tenant.send('DELETE', `/tokens/${first.json.id}`)
  const expires_at = new Date(Date.now() + 60_000).toISOString()
  const second = await tenant.send('POST', '/tokens', { ...body, expires_at })
  t.equal(second.status, 201)
  await own.clock.advance(60_000)
  const third = await tenant.send('POST', '/tokens', body)
  t.equal(third.status, 201)
  t.not(third.json.id, second.json.id)
})

t.test('an update into a duplicate is not applied, and the original is answered', async t => {
  const tenant = await openTenant(vault)
  const original = (await tenant.send('POST', '/tokens', { type: 'token', data: 'same', mask: '*' })).json
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 'other' })).json
  const plain = await tenant.send('PATCH', `/tokens/${id}`, { data: 'same' })
  t.equal(plain.json.id, id, 'a token that is not deduplicated may become equal')
  await tenant.send('PATCH', `/tokens/${id}`, { data: 'other', deduplicate_token: true })

  const changed = await tenant.send('PATCH', `/tokens/${id}`, { data: 'same', metadata: { a: 'b' } })
  t.equal(changed.status, 200)
  t.equal(changed.json.id, original.id)
  t.equal(changed.json.data, '*', 'never more than its mask')
  const untouched = (await tenant.send('GET', `/tokens/${id}`)).json
  t.equal(untouched.data, 'other')
  t.notOk('metadata' in untouched)

  const updater = await tenant.application({ permissions: ['token:update'] })
  const unread = await updater('PATCH', `/tokens/${id}`, { data: 'same' })
  t.equal(unread.json.id, original.id)
  for (const member of ['data', 'mask', 'fingerprint_expression']) t.notOk(member in unread.json, member)
})

t.test(
  'a duplicate that asks for deduplication is answered with the older token; the oldest itself is changed',
  async t => {
    const tenant = await openTenant(vault)
    const older = (await tenant.send('POST', '/tokens', { type: 'token', data: 'twice' })).json
    const younger = (await tenant.send('POST', '/tokens', { type: 'token', data: 'twice' })).json
    const refused = await tenant.send('PATCH', `/tokens/${younger.id}`, { deduplicate_token: true })
    t.equal(refused.json.id, older.id)
    const applied = await tenant.send('PATCH', `/tokens/${older.id}`, { deduplicate_token: true })
    t.equal(applied.json.id, older.id)
    t.ok('modified_at' in applied.json)
  },
)

/** Data of somebody else, whose literal fingerprint expression is the account of the backend's customer. */
const planted = {
  type: 'bank',
  data: { routing_number: '021000021', account_number: '999999999' },
  fingerprint_expression: '000123456789|110000000',
  deduplicate_token: true,
}
const genuine = {
  type: 'bank',
  data: { routing_number: '110000000', account_number: '000123456789' },
  deduplicate_token: true,
}

t.test("a literal expression that equals an account number takes nobody's place", async t => {
  const tenant = await openTenant(vault)
  const attacks = [await tenant.asPublic('POST', '/tokens', planted)]
  for (const path of ['/tokens', '/tokenize']) {
    const made = await tenant.send('POST', path, genuine)
    t.not(made.json.id, attacks[0]?.json.id, path)
    t.equal(made.json.fingerprint, attacks[0]?.json.fingerprint, 'although the fingerprints are equal')
    t.equal((await tenant.send('GET', `/tokens/${made.json.id}`)).json.data.account_number, '000123456789')
    await tenant.send('DELETE', `/tokens/${made.json.id}`)
  }
  const [, later] = (await tenant.send('POST', '/tokenize', [planted, genuine])).json
  t.equal(later.data.account_number, 'XXXXXXXX6789', 'nor within one payload')
  const again = await tenant.send('POST', '/tokens', genuine)
  t.equal(again.json.id, later.id, 'control: the same expression')
  const found = await tenant.send('POST', '/tokens/search', { query: `fingerprint:${later.fingerprint}` })
  t.equal(found.json.pagination.total_items, 2, 'a search by fingerprint finds both')

  const { id } = (await tenant.send('POST', '/tokens', { ...genuine, deduplicate_token: false })).json
  await tenant.send('DELETE', `/tokens/${later.id}`)
  const patched = await tenant.send('PATCH', `/tokens/${id}`, { deduplicate_token: true })
  t.equal(patched.json.id, id, 'nor by an update')
})

t.test('a token where the caller may not create is no original, and is not disclosed', async t => {
  const tenant = await openTenant(vault)
  const create = (container: string) => ({
    rules: [{ priority: 1, container, transform: 'reveal', permissions: ['token:create', 'token:read'] }],
  })
  const [here, there] = [
    await tenant.application(create('/here/')),
    await tenant.application(create('/there/')),
  ]
  const body = (...containers: string[]) => ({ ...card, containers, deduplicate_token: true })
  const own = await here('POST', '/tokens', body('/here/'))
  for (const path of ['/tokens', '/tokenize']) {
    const other = await there('POST', path, body('/there/'))
    t.equal(other.status, path === '/tokens' ? 201 : 200)
    t.not(other.json.id, own.json.id)
    t.same((await there('POST', path, body('/there/a/'))).json.id, other.json.id, 'control: its own')
    t.equal((await there('POST', '/tokens', body('/there/a/'))).status, 200)
    await tenant.send('DELETE', `/tokens/${other.json.id}`)
  }
  const both = (
    await tenant.send('POST', '/tokens', { ...body('/here/', '/there/'), deduplicate_token: false })
  ).json
  await tenant.send('DELETE', `/tokens/${own.json.id}`)
  t.not((await here('POST', '/tokens', body('/here/'))).json.id, both.id, 'each of its containers counts')
  t.equal((await tenant.send('POST', '/tokens', body('/else/'))).json.id, both.id, 'control')
})

t.test('racing creates by callers with different rights leave one token for each', async t => {
  const tenant = await openTenant(vault)
  const rule = (container: string) => ({
    priority: 1,
    container,
    transform: 'mask',
    permissions: ['token:create'],
  })
  const callers = [
    { send: await tenant.application({ rules: [rule('/a/')] } as never), container: '/a/' },
    { send: await tenant.application({ rules: [rule('/b/')] } as never), container: '/b/' },
    // Creates in other containers than those two, and so does not meet the same holder of a place.
    { send: await tenant.application({ rules: [rule('/c/')] } as never), container: '/c/1/' },
    { send: await tenant.application({ rules: [rule('/c/')] } as never), container: '/c/2/' },
  ]
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, at) => {
      const { send, container } = callers[at % callers.length] as (typeof callers)[number]
      return send('POST', '/tokens', { ...card, containers: [container], deduplicate_token: true })
    }),
  )
  t.equal(replies.filter(({ status }) => status === 201).length, 3)
  t.equal(replies.filter(({ status }) => status === 200).length, 37)
  const { data } = (await tenant.send('GET', '/tokens')).json
  t.same(
    data.map(({ containers }: { containers: string[] }) => containers[0]?.slice(0, 3)).sort(),
    ['/a/', '/b/', '/c/'],
    'one in each place, and one for the two that share a place',
  )
})

t.test('claims are erased when no request compares them any more', async t => {
  const store = new MemoryStore()
  const own = openVault(t, {}, { openStore: async () => store })
  const tenant = await openTenant(own)
  const claims = async () =>
    (await store.find('deduplication', tenant.tenantId, { op: 'all' }, { nowMs: 0, offset: 0, limit: 0 }))
      .total
  const body = { ...card, deduplicate_token: true }
  const { id } = (await tenant.send('POST', '/tokens', body)).json
  t.equal(await claims(), 1)
  await own.clock.advance(2 * 3_600_000)
  t.equal(await claims(), 0)
  t.equal((await tenant.send('POST', '/tokens', body)).json.id, id, 'the token is still an original')
})
