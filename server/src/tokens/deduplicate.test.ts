import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { MemoryEngine } from '../storage/engines/memory/memory-engine.ts'

const vault = openVault(t)
const card = { type: 'card', data: { number: '4242424242424242' } }

t.test('100 racing deduplicating creates leave one token', async t => {
  const tenant = await openTenant(vault)
  const body = { ...card, deduplicate_token: true }
  const replies = await Promise.all(Array.from({ length: 100 }, () => tenant.send('POST', '/tokens', body)))
  t.equal(replies.filter(reply => reply.status === 201).length, 1)
  t.equal(replies.filter(reply => reply.status === 200).length, 99)
  t.equal(new Set(replies.map(reply => reply.json.id)).size, 1)
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 1)
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
  const found = data.map(({ containers }: { containers: string[] }) => containers[0]?.slice(0, 3)).sort()
  t.same(found, ['/a/', '/b/', '/c/'], 'one in each place, and one for the two that share a place')
})

t.test('claims are erased when no request compares them any more', async t => {
  const store = new MemoryEngine()
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
