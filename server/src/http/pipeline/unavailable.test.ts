import t from 'tap'
import { openTenant, openVault } from '../../../verify/support/vault.ts'
import { MemoryEngine } from '../../storage/engines/memory/memory-engine.ts'
import { StoreUnavailable } from '../../storage/port/port.ts'

/** A store whose disk can be full. */
class FullDisk extends MemoryEngine {
  full = false

  override async commit(...given: Parameters<MemoryEngine['commit']>) {
    if (this.full) throw new StoreUnavailable('no space left')
    return super.commit(...given)
  }

  override unhealthy() {
    return this.full ? 'the store cannot write' : undefined
  }
}

t.test('a store that cannot write: writes are 503, reads go on, and it recovers', async t => {
  const store = new FullDisk()
  const vault = openVault(t, {}, { openStore: async () => store })
  const tenant = await openTenant(vault)
  const body = { id: 'kept', type: 'token', data: 'x' }
  t.equal((await tenant.send('POST', '/tokens', body)).status, 201)
  t.equal((await tenant.as(undefined)('GET', '/healthz')).status, 200)

  store.full = true
  const keyed = { 'SVC-IDEMPOTENCY-KEY': 'retry me' }
  const refusals = [
    await tenant.send('POST', '/tokens', { ...body, id: 'other' }, keyed),
    await tenant.send('PATCH', '/tokens/kept', { data: 'y' }),
    await tenant.send('DELETE', '/tokens/kept'),
    await tenant.asManagement('POST', '/applications', {
      name: 'A',
      type: 'private',
      permissions: ['token:read'],
    }),
  ]
  for (const refused of refusals) {
    t.equal(refused.status, 503)
    t.match(refused.headers.get('retry-after'), /^\d+$/)
    t.match(refused.json, { type: 'urn:surrogate:error:unavailable' })
    t.notMatch(refused.text, /space left/)
  }
  t.equal((await tenant.send('GET', '/tokens/kept')).json.data, 'x')
  const health = await tenant.as(undefined)('GET', '/healthz')
  t.equal(health.status, 503)
  t.match(health.json, { status: 'unavailable', reason: 'the store cannot write' })

  store.full = false
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 1, 'nothing is half done')
  t.equal((await tenant.send('POST', '/tokens', { ...body, id: 'other' }, keyed)).status, 201)
  t.equal((await tenant.as(undefined)('GET', '/healthz')).status, 200)
})
