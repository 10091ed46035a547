// Only in CI: it cuts a server off from its database.
import t from 'tap'
import { openSchema, withPostgres } from '../support/postgres.ts'
import { newMasterKey } from '../support/stores.ts'
import { openTcpProxy } from '../support/tcp-proxy.ts'
import { openTenant, openVault } from '../support/vault.ts'

/**
 * The connection to the database is cut during the commit of a request. The caller can find out what happened only with
 * an idempotency key. What the store does then is in `connections.test.ts`.
 */
for (const at of ['before sending', 'before answering'] as const) {
  t.test(`a request whose commit is cut off ${at} is done once under its key`, withPostgres, async t => {
    const url = await openSchema(t)
    const proxy = await openTcpProxy(t, Number(new URL(url).port))
    const options = { storage: proxy.via(url), masterKey: newMasterKey(), developmentTenant: false }
    const { send, asManagement } = await openTenant(openVault(t, options))
    const create = () =>
      send('POST', '/tokens', { type: 'token', data: 1 }, { 'SVC-IDEMPOTENCY-KEY': 'once' })

    const struck = proxy.strike('cut', { at, pattern: /COMMIT\0/ })
    const failed = await create()
    await struck
    t.equal(failed.status, 503)
    t.match(failed.headers.get('retry-after'), /^\d+$/)

    const [again, andAgain] = [await create(), await create()]
    t.equal(again.status, 201)
    t.same(andAgain.json, again.json)
    t.equal((await send('GET', '/tokens')).json.pagination.total_items, 1, 'whether or not the first made it')
    const log = (await asManagement('GET', '/logs?entity_type=token')).json.data
    const created = log.filter(({ operation }: { operation: string }) => operation === 'token:create')
    t.equal(created.length, 1)
  })
}
