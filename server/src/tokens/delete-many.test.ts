import t from 'tap'
import { openTenant, openVault, type Send, type TestTenant } from '../../verify/support/vault.ts'

const remove = (send: Send, ids: readonly string[], headers?: Record<string, string>) =>
  send('POST', '/tokens/delete', { ids: [...ids] }, headers)

/** Creates tokens with these ids. */
async function make({ send }: TestTenant, ids: readonly string[], containers = ['/a/']): Promise<void> {
  for (const id of ids) {
    const { status } = await send('POST', '/tokens', { type: 'token', data: `secret ${id}`, id, containers })
    if (status !== 201) throw new Error(`the token ${id} was not created`)
  }
}

const statuses = (send: Send, ids: readonly string[]) =>
  Promise.all(ids.map(async id => (await send('GET', `/tokens/${id}`)).status))

t.test('several tokens are deleted, and each has its entry in the log', async t => {
  const tenant = await openTenant(openVault(t))
  await make(tenant, ['one', 'two', 'three'])
  const { status, text } = await remove(tenant.send, ['one', 'three'])
  t.equal(status, 204)
  t.equal(text, '')
  t.same(await statuses(tenant.send, ['one', 'two', 'three']), [404, 200, 404])
  const { data } = (await tenant.asManagement('GET', '/logs?entity_type=token&size=100')).json
  const deleted = data.filter(({ operation }: { operation: string }) => operation === 'token:delete')
  t.same(deleted.map(({ entity_id }: { entity_id: string }) => entity_id).sort(), ['one', 'three'])
  await make(tenant, ['one'])
})

t.test('a hundred are deleted at once, and no more', async t => {
  const tenant = await openTenant(openVault(t))
  const ids = Array.from({ length: 101 }, (_, at) => `token-${at}`)
  await make(tenant, ids)
  const refused = await remove(tenant.send, ids)
  t.match(refused, { status: 400, json: { errors: { ids: [/100/] } } })
  t.equal((await remove(tenant.send, ids.slice(1))).status, 204)
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 1)
})

t.test('none is deleted if one is missing or may not be deleted', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const other = await openTenant(vault)
  const permissions = ['token:delete']
  const limited = await tenant.application({
    rules: [{ priority: 1, container: '/a/', transform: 'redact', permissions }],
  })
  await make(tenant, ['one', 'two'])
  await make(tenant, ['elsewhere'], ['/a/', '/b/'])
  await make(other, ['theirs'])
  const cases: readonly [second: string, status: number, says: RegExp][] = [
    ['none', 404, /these ids: none$/],
    ['theirs', 404, /these ids: theirs$/],
    ['elsewhere', 403, /token:delete/],
  ]
  for (const [second, status, says] of cases) {
    const refused = await remove(limited, ['one', second, 'two'])
    t.equal(refused.status, status, second)
    t.match(refused.json.detail, says)
    t.notMatch(refused.text, /secret/)
    t.same(await statuses(tenant.send, ['one', 'two', 'elsewhere']), [200, 200, 200])
  }
  const { data } = (await tenant.asManagement('GET', '/logs?entity_id=elsewhere')).json
  const refusals = data.filter(({ outcome }: { outcome: string }) => outcome === 'refused')
  t.match(refusals, [{ operation: 'token:delete', actor_id: limited.id }])
  t.equal((await remove(limited, ['one', 'two'])).status, 204, 'the control')
  t.equal((await remove(tenant.asPublic, ['elsewhere'])).status, 403, 'a public key')
  t.same((await statuses(other.send, ['theirs']))[0], 200)
})

t.test('an expired token is none', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const expires_at = new Date((await vault.clock.now()) + 60_000).toISOString()
  await tenant.send('POST', '/tokens', { type: 'token', data: 1, id: 'brief', expires_at })
  await make(tenant, ['lasting'])
  await vault.clock.advance(60_000)
  t.equal((await remove(tenant.send, ['brief', 'lasting'])).status, 404)
  t.equal((await remove(tenant.send, ['lasting'])).status, 204)
})

t.test('with an idempotency key, a repeated request is answered again and deletes nothing', async t => {
  const tenant = await openTenant(openVault(t))
  await make(tenant, ['one', 'two'])
  const headers = { 'SVC-IDEMPOTENCY-KEY': 'key' }
  t.equal((await remove(tenant.send, ['one', 'two'], headers)).status, 204)
  await make(tenant, ['one'])
  t.equal((await remove(tenant.send, ['one', 'two'], headers)).status, 204)
  t.same(await statuses(tenant.send, ['one']), [200])
  t.equal((await remove(tenant.send, ['one'], headers)).status, 422)
  t.equal((await remove(tenant.send, ['one', 'two'])).status, 404, 'without the key')
})

t.test('requests at the same time delete each token once', async t => {
  const tenant = await openTenant(openVault(t))
  await make(tenant, ['one', 'two', 'three'])
  const replies = await Promise.all([
    remove(tenant.send, ['one', 'two']),
    remove(tenant.send, ['two', 'three']),
    tenant.send('DELETE', '/tokens/two'),
  ])
  t.equal(replies.filter(({ status }) => status === 204).length > 0, true)
  t.ok(replies.every(({ status }) => status === 204 || status === 404))
  const { data } = (await tenant.asManagement('GET', '/logs?entity_id=two')).json
  const deleted = data.filter(({ operation }: { operation: string }) => operation === 'token:delete')
  t.equal(deleted.length, 1)
})
