// Only in CI: it cuts servers off from their database.
import t from 'tap'
import { PostgresStore } from '../../src/storage/engines/postgres/postgres-store.ts'
import { openSchema, withPostgres } from '../support/postgres.ts'
import { newMasterKey } from '../support/stores.ts'
import { type Fault, type Moment, openTcpProxy } from '../support/tcp-proxy.ts'
import { openTenant, openVault, sender } from '../support/vault.ts'

/**
 * The connection to the database fails during the commit of a request. The caller can find out what happened only
 * with an idempotency key.
 */
const moments: Readonly<Record<string, Moment>> = {
  'before its end reaches the database': { at: 'before sending', pattern: /COMMIT\0/ },
  'behind its end, before the answer comes back': { at: 'before answering', pattern: /COMMIT\0/ },
}
const faults: readonly Fault[] = ['cut', 'freeze']
const body = { type: 'card', data: { number: '4242424242424242', cvc: '123' }, containers: ['/a/'] }

for (const fault of faults) {
  for (const [name, moment] of Object.entries(moments)) {
    t.test(`${fault} ${name}`, withPostgres, async t => {
      // The database releases the locks of a silent connection before waiting requests time out.
      const silence = fault === 'freeze' ? '%20-c%20idle_in_transaction_session_timeout%3D1000' : ''
      const url = `${await openSchema(t)}${silence}`
      const proxy = await openTcpProxy(t, Number(new URL(url).port))
      // Short, as nothing else ends the wait, but long enough for a busy machine.
      const patience = fault === 'freeze' ? { answerMs: 2500 } : {}
      const masterKey = newMasterKey()
      const near = openVault(t, { storage: url, masterKey, developmentTenant: false })
      await near.ready()
      const far = openVault(
        t,
        { storage: proxy.via(url), masterKey, developmentTenant: false },
        { openStore: async () => PostgresStore.open(proxy.via(url), patience) },
      )
      const tenant = await openTenant(near)
      const send = sender(far, tenant.privateKey)
      const health = async () => (await sender(far, undefined)('GET', '/healthz')).status
      t.equal(await health(), 200)
      const counted = async () => {
        const tokens = await tenant.send('GET', '/tokens')
        const told = await tenant.asManagement('GET', '/logs?entity_type=token')
        const created = told.json.data.filter(
          ({ operation }: { operation: string }) => operation === 'token:create',
        )
        return [tokens.json.pagination.total_items, created.length]
      }
      const failing = async (headers?: Record<string, string>) => {
        const struck = proxy.strike(fault, moment)
        const reply = await send('POST', '/tokens', body, headers)
        await struck
        t.equal(reply.status, 503)
        t.match(reply.headers.get('retry-after'), /^\d+$/)
        t.match(reply.json, { type: 'urn:surrogate:error:unavailable' })
        t.equal(await health(), 503)
      }

      const keyed = { 'SVC-IDEMPOTENCY-KEY': 'once' }
      await failing(keyed)
      const [again, andAgain] = [
        await send('POST', '/tokens', body, keyed),
        await send('POST', '/tokens', body, keyed),
      ]
      t.equal(again.status, 201)
      t.same(andAgain.json, again.json)
      t.same(await counted(), [1, 1], 'there is one token, whether or not the first request made it')

      await failing()
      // Another request of the tenant waits for the locks of the broken transaction.
      t.equal((await send('POST', '/tokens', { type: 'token', data: 'x' })).status, 201)
      const made = moment.at === 'before answering' ? 1 : 0
      t.same(await counted(), [2 + made, 2 + made], 'without a key it was done whole or not at all')
    })
  }
}
