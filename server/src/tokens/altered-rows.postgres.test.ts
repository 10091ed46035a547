import t, { type Test } from 'tap'
import { database, newSchema, withPostgres } from '../../verify/support/postgres.ts'
import { newMasterKey } from '../../verify/support/stores.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { createLog } from '../base/log.ts'
import { openStore } from '../storage/open.ts'

/** What somebody can do who may write to the database, but has no key. */

async function open(t: Test) {
  const schema = newSchema(t)
  await schema.create()
  const logged: string[] = []
  const vault = openVault(
    t,
    {
      storage: schema.url,
      masterKey: newMasterKey(),
      developmentTenant: false,
      log: createLog(line => logged.push(line)),
    },
    { openStore: (location, options) => openStore(location, { ...options, migrate: true }) },
  )
  const tenant = await openTenant(vault)
  const ask = (sql: string, ...values: unknown[]) =>
    database().query(sql.replaceAll(/documents|blocks/g, `${schema.name}.$&`), values)
  /** The rows of tokens (kind 111, the code of their letter), oldest first. */
  const rows = async () =>
    (
      await ask(
        'SELECT * FROM documents WHERE kind = 111 AND tenant = $1 ORDER BY created_us',
        tenant.tenantId,
      )
    ).rows
  return { vault, tenant, ask, rows, logged }
}

const pan = '4242424242424242'

t.test('altered terms show no token that the rules deny, in lists and searches', withPostgres, async t => {
  const { tenant, ask, rows } = await open(t)
  const permissions = ['token:read', 'token:search']
  const rules = [{ priority: 1, container: '/open/', transform: 'reveal', permissions }]
  const reader = await tenant.application({ rules })
  const card = { type: 'card', data: { number: pan }, metadata: { customer: 'hidden' } }
  const hidden = (await tenant.send('POST', '/tokens', card)).json
  const make = async () =>
    (await tenant.send('POST', '/tokens', { type: 'token', data: 1, containers: ['/open/'] })).json.id
  const open1 = await make()
  const open2 = await make()
  const [row, visible] = await rows()
  await ask('UPDATE documents SET terms = $1 WHERE id = $2', visible.terms, row.id)
  // Each term of the others now has all three: a list of their places.
  await ask(
    `UPDATE blocks SET bits = '\\x00000001000200' WHERE position(uuid_send(term) in $1::bytea) > 0`,
    visible.terms,
  )

  t.equal((await reader('GET', `/tokens/${hidden.id}`)).status, 403)
  const asked = [
    () => reader('GET', '/tokens'),
    () => reader('POST', '/tokens/search', { query: 'container:"/open/"' }),
    () => reader('POST', '/tokens/search', {}),
  ]
  for (const ask of asked) {
    const { status, json, text } = await ask()
    t.equal(status, 200)
    const ids = json.data.map(({ id }: { id: string }) => id)
    t.same(ids, [open2, open1])
    t.notMatch(text, new RegExp(`hidden|X4242|424242|\\b4242\\b|${hidden.id}`))
    t.equal(json.pagination.total_items, 3, 'the total is what the index counts')
  }
  const last = (await reader('GET', '/tokens?page=3&size=1')).json
  t.same({ data: last.data, total_pages: last.pagination.total_pages }, { data: [], total_pages: 3 })
  const whole = await tenant.send('GET', '/tokens')
  t.equal(whole.json.data.length, 3, 'control: a caller that may read all of them')
})

t.test('a changed due time shows no token after its expiry', withPostgres, async t => {
  const { vault, tenant, ask } = await open(t)
  const expires_at = new Date((await vault.clock.now()) + 60_000).toISOString()
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 1, expires_at })).json
  const later = 'UPDATE documents SET due_ms = due_ms + 86400000 WHERE kind = 111 AND tenant = $1'
  t.equal((await ask(later, tenant.tenantId)).rowCount, 1)
  const ids = async () => (await tenant.send('GET', '/tokens')).json.data.map((one: { id: string }) => one.id)
  t.same(await ids(), [id], 'control')
  await vault.clock.advance(60_000)
  t.equal((await tenant.send('GET', `/tokens/${id}`)).status, 404)
  t.same(await ids(), [])
})

t.test('changed times and versions are noticed, and earlier boxes do not open', withPostgres, async t => {
  const { tenant, ask, rows, logged } = await open(t)
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 'before' })).json
  const [before] = await rows()
  await tenant.send('PATCH', `/tokens/${id}`, { data: 'after' })
  const [after] = await rows()
  const put = (row: Record<string, unknown>) =>
    ask(
      'UPDATE documents SET version = $1, created_us = $2, modified_us = $3, box = $4 WHERE kind = 111 AND tenant = $5',
      ...[row.version, row.created_us, row.modified_us, row.box, tenant.tenantId],
    )
  const changes: Record<string, object> = {
    created_us: { created_us: Number(after.created_us) - 1_000_000 },
    modified_us: { modified_us: Number(after.modified_us) + 1 },
    'no modified_us': { modified_us: null },
    version: { version: Number(after.version) + 1 },
    'an earlier box': { box: before.box },
    'an earlier box and version': { box: before.box, version: before.version },
  }
  for (const [name, change] of Object.entries(changes)) {
    await put({ ...after, ...change })
    t.equal((await tenant.send('GET', `/tokens/${id}`)).status, 500, name)
    t.same((await tenant.send('GET', '/tokens')).json.data, [], `${name}: left out`)
    await put(after)
    t.equal((await tenant.send('GET', `/tokens/${id}`)).json.data, 'after', `${name}: control`)
  }
  t.match(logged.join(), /"error","event":"a stored record does not open","kind":"token"/)
})
