import t from 'tap'
import { bytesUnder } from '../../../verify/support/files.ts'
import { openTenant, openVault, sender } from '../../../verify/support/vault.ts'
import { systemRandom } from '../../base/random.ts'
import { keyLength } from '../../crypto/envelope.ts'

const vault = openVault(t)
const hour = 3_600_000
const keyed = (key: string) => ({ 'SVC-IDEMPOTENCY-KEY': key })
const body = { type: 'token', data: 'x' }

t.test('an answer is kept for 24 hours', async t => {
  const own = openVault(t)
  const tenant = await openTenant(own)
  const first = await tenant.send('POST', '/tokens', body, keyed('one'))
  await own.clock.advance(24 * hour - 60_000)
  const again = await tenant.send('POST', '/tokens', body, keyed('one'))
  t.equal(again.status, 201)
  t.equal(again.json.id, first.json.id)
  await own.clock.advance(60_000)
  const afresh = await tenant.send('POST', '/tokens', body, keyed('one'))
  t.equal(afresh.status, 201)
  t.not(afresh.json.id, first.json.id)
})

t.test('another spelling of the path does not make another request', async t => {
  const tenant = await openTenant(vault)
  const first = await tenant.send('POST', '/tokens', body, keyed('one'))
  for (const path of ['/tokens/', '/tokens/?'])
    t.same((await tenant.send('POST', path, body, keyed('one'))).json, first.json, path)
  t.equal((await tenant.send('POST', '/tokenize', body, keyed('one'))).status, 422, 'another operation')

  for (const id of ['a-b', 'c-d']) await tenant.send('POST', '/tokens', { ...body, id })
  const patched = await tenant.send('PATCH', '/tokens/a-b', { data: 'y' }, keyed('two'))
  t.equal(patched.status, 200)
  for (const path of ['/tokens/a%2Db', '/tokens/%61-b/'])
    t.same((await tenant.send('PATCH', path, { data: 'y' }, keyed('two'))).json, patched.json, path)
  for (const path of ['/tokens/c-d', '/tokens/A-b'])
    t.equal((await tenant.send('PATCH', path, { data: 'y' }, keyed('two'))).status, 422, path)

  const { id } = await tenant.application({ permissions: ['token:read'] })
  const rename = (path: string) =>
    tenant.asManagement('PUT', path, { name: 'New', permissions: ['token:read'] }, keyed('three'))
  const renamed = await rename(`/applications/${id}`)
  t.equal(renamed.status, 200)
  t.same((await rename(`/applications/${id.toUpperCase()}/`)).json, renamed.json, 'a UUID has no case')
})

t.test('of concurrent requests with one key only one is done', async t => {
  const tenant = await openTenant(vault)
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => tenant.send('POST', '/tokens', body, keyed('one'))),
  )
  const created = replies.filter(reply => reply.status === 201)
  t.equal(new Set(created.map(reply => reply.json.id)).size, 1)
  for (const { status, json } of replies) {
    if (status !== 201) t.match(json, { status: 409, type: 'urn:surrogate:error:idempotency_conflict' })
  }
  t.equal((await tenant.send('GET', '/tokens')).json.pagination.total_items, 1)
})

t.test('concurrent creates that are deduplicated each keep their own idempotency key', async t => {
  const tenant = await openTenant(vault)
  const create = (key: number, data: string) =>
    tenant.send('POST', '/tokens', { ...body, data, deduplicate_token: true }, keyed(`key ${key}`))
  const replies = await Promise.all(Array.from({ length: 10 }, (_, key) => create(key, 'x')))
  t.equal(new Set(replies.map(({ json }) => json.id)).size, 1)
  for (const [key, { status }] of replies.entries()) {
    t.equal((await create(key, 'x')).status, status)
    t.equal((await create(key, 'another')).status, 422)
  }
})

t.test('neither the key nor the answer can be read on disk, even with the master key', async t => {
  const folder = t.testdir()
  const masterKey = systemRandom().bytes(keyLength)
  const own = openVault(t, { storage: `level:${folder}`, masterKey })
  const tenant = await openTenant(own)
  const key = 'a-recognisable-idempotency-key'
  const first = await tenant.send('POST', '/tokens', body, keyed(key))
  await own.close()
  const bytes = bytesUnder(folder)
  for (const secret of [key, tenant.privateKey, first.json.id]) t.notOk(bytes.includes(secret))

  const reopened = openVault(t, { storage: `level:${folder}`, masterKey })
  const again = await sender(reopened, tenant.privateKey)('POST', '/tokens', body, keyed(key))
  t.same(again.json, first.json, 'it survives a restart')
})
