import t from 'tap'
import { openVault, sender } from '../../verify/support/vault.ts'
import type { JsonValue } from '../base/json/json.ts'
import {
  application,
  backend,
  file,
  good,
  ids,
  keys,
  malformed,
  management,
  masterKey,
  otherId,
  rule,
  secret,
  tenant,
  tenantId,
  whsec,
} from './bootstrap.cases.ts'
import { BootstrapError } from './bootstrap.ts'

type Tap = Pick<typeof t, 'teardown' | 'testdir'>

/** A server that is started again and again on one folder, each time with another file. */
function restarts(t: Tap) {
  const storage = `level:${t.testdir({})}`
  let vault: ReturnType<typeof openVault> | undefined
  return async (bootstrap?: JsonValue) => {
    await vault?.close()
    vault = openVault(t, {
      storage,
      masterKey,
      dev: false,
      ...(bootstrap === undefined ? {} : { bootstrap }),
    })
    await vault.ready()
    const started = vault
    return (key: string) => sender(started, key)
  }
}

t.test('a deployment is set up from the file', async t => {
  const vault = openVault(t, {
    bootstrap: file([management, backend], { name: 'Shop', operator: true, webhook_secret: secret }),
  })
  const { json } = await sender(vault, keys.management)('GET', '/applications')
  t.equal(json.pagination.total_items, 2)
  const seen = await sender(vault, keys.private)('GET', '/applications/key')
  const { key: _, ...shown } = backend
  t.match(seen.json, { ...shown, permissions: [], tenant_id: tenantId })
  t.notOk('key' in seen.json)
  const token = await sender(vault, keys.private)('POST', '/tokens', { type: 'token', data: 'x' })
  t.equal(token.status, 201)
  t.match(token.json, { tenant_id: tenantId, created_by: ids.private })
})

t.test('the same file again changes nothing', async t => {
  const start = restarts(t)
  const bootstrap = file([management, backend], { name: 'Shop' })
  const before = await (await start(bootstrap))(keys.management)('GET', '/applications')
  const as = await start(bootstrap)
  const after = await as(keys.management)('GET', '/applications')
  t.same(after.json, before.json)
  t.notOk('modified_at' in after.json.data[0], 'not even the time of its last change')
  t.equal((await as(keys.private)('GET', '/tokens')).status, 200)
})

t.test('what the file names is set to what it says, and the rest is left alone', async t => {
  const start = restarts(t)
  let as = await start(file([management, backend]))
  await as(keys.private)('POST', '/tokens', { id: 'kept', type: 'token', data: 'x' })
  const made = await as(keys.management)('POST', '/applications', {
    name: 'Made',
    type: 'private',
    permissions: ['token:read'],
  })
  await as(keys.management)('PUT', `/applications/${ids.private}`, {
    name: 'Changed',
    permissions: ['token:delete'],
  })
  t.equal((await as(keys.private)('GET', '/tokens/kept')).status, 403)

  as = await start(file([{ ...backend, name: 'Renamed' }]))
  const named = await as(keys.private)('GET', '/applications/key')
  t.match(named.json, { name: 'Renamed', permissions: [], rules: backend.rules })
  const reply = await as(keys.private)('GET', '/tokens/kept')
  t.equal(reply.json.data, 'x', 'its rights are back, the token is there')
  t.equal((await as(keys.management)('GET', '/applications')).status, 200, 'the file no longer names it')
  t.equal((await as(made.json.key)('GET', '/tokens')).status, 200, 'the file never named it')

  as = await start()
  t.equal((await as(keys.private)('GET', '/tokens/kept')).status, 200, 'without a file all is as it was')
  await as(keys.management)('DELETE', `/applications/${ids.private}`)
  as = await start(file([backend]))
  const answer = await as(keys.private)('GET', '/tokens/kept')
  t.equal(answer.status, 200, 'what was deleted and is named is back')
})

t.test('a new key in the file takes the place of the old one', async t => {
  const start = restarts(t)
  let as = await start(file([management, backend]))
  const { json } = await as(keys.management)('POST', `/applications/${ids.private}/regenerate`)
  as = await start(file([backend]))
  t.equal((await as(json.key)('GET', '/tokens')).status, 401, 'the one that was made')
  t.equal((await as(keys.private)('GET', '/tokens')).status, 200, 'the one of the file')
  as = await start(file([{ ...backend, key: 'another-key-000001' }]))
  t.equal((await as(keys.private)('GET', '/tokens')).status, 401)
  t.equal((await as('another-key-000001')('GET', '/tokens')).status, 200)
  as = await start(file([{ ...backend, id: ids.other }]))
  t.equal((await as(keys.private)('GET', '/applications/key')).json.id, ids.other, 'a key let go is free')
})

t.test('a new application takes a key that a later one of the file gives up', async t => {
  const start = restarts(t)
  await start(file([backend]))
  const as = await start(
    file([
      { ...backend, id: ids.other },
      { ...backend, key: 'another-key-000001' },
    ]),
  )
  t.equal((await as(keys.private)('GET', '/applications/key')).json.id, ids.other)
  t.equal((await as('another-key-000001')('GET', '/applications/key')).json.id, ids.private)
})

t.test('a second key stays beside the one of the file, and goes when the file has another', async t => {
  const start = restarts(t)
  let as = await start(file([management, backend]))
  const path = `/applications/${ids.private}/keys`
  const second = await as(keys.management)('POST', path)
  t.match(second.json.last_four, /^[\w-]{4}$/)
  const [newer, older] = (await as(keys.management)('GET', path)).json
  t.same(Object.keys(older).sort(), ['created_at', 'id'], 'of a key that somebody chose no part is shown')
  t.equal(newer.id, second.json.id)
  as = await start(file([management, { ...backend, name: 'B' }]))
  t.equal((await as(second.json.key)('GET', '/applications/key')).json.name, 'B')
  t.equal((await as(keys.private)('GET', '/tokens')).status, 200)

  t.equal((await as(keys.management)('DELETE', `${path}/${older.id}`)).status, 204)
  as = await start(file([management, { ...backend, key: second.json.key }]))
  t.equal((await as(second.json.key)('GET', '/tokens')).status, 200)
  t.equal((await as(keys.private)('GET', '/tokens')).status, 401)

  const third = await as(keys.management)('POST', path)
  as = await start(file([management, { ...backend, key: 'another-key-000001' }]))
  t.equal((await as('another-key-000001')('GET', '/tokens')).status, 200)
  for (const { json } of [second, third]) t.equal((await as(json.key)('GET', '/tokens')).status, 401)
})

t.test('a public application of the file may hold nothing, and creates sessions', async t => {
  const start = restarts(t)
  const bare = { id: ids.other, name: 'Page', type: 'public', key: 'key-of-the-page-1' }
  const as = await start(file([backend, bare]))
  t.match((await as(bare.key)('GET', '/applications/key')).json, { permissions: [], rules: [] })
  t.equal((await as(bare.key)('POST', '/sessions')).status, 201)
  t.equal((await as(bare.key)('POST', '/tokens', { type: 'token', data: 1 })).status, 403)
})

t.test('a key that another application has is refused', async t => {
  const start = restarts(t)
  await start(file([management, backend]))
  const thief = { ...backend, id: ids.other, key: keys.management }
  await t.rejects(start({ tenants: [{ id: otherId, applications: [thief] }] } as JsonValue), {
    name: 'BootstrapError',
    message: new RegExp(ids.other),
  })
  const as = await start()
  const reply = await as(keys.management)('GET', '/applications/key')
  t.match(reply.json, { id: ids.management, tenant_id: tenantId })
})

t.test('a file that cannot be used is refused in one sentence that says where', async t => {
  await openVault(t, { bootstrap: good }).ready()
  const deepest = { ...rule, container: `/${'a/'.repeat(16)}` }
  const most = Array.from({ length: 100 }, (_, index) => ({ ...deepest, priority: index + 1 }))
  await openVault(t, { bootstrap: application({ rules: most }) }).ready()
  for (const bytes of [25, 64])
    await openVault(t, { bootstrap: tenant({ webhook_secret: whsec(bytes) }) }).ready()
  for (const [name, bootstrap, where] of malformed) {
    const started = openVault(t, { bootstrap }).ready()
    const error = await started.then(
      () => new Error('it was accepted'),
      (refusal: Error) => refusal,
    )
    t.type(error, BootstrapError, `${name}: ${error.message}`)
    t.equal(error.message.split(' must')[0]?.split(' ')[0], where.split(' ')[0], `${name}: ${error.message}`)
    t.notMatch(error.message, /\n|whsec_c2|sixteen/, 'one sentence, without a secret')
  }
})

t.test('null stands for what is left out', async t => {
  const vault = openVault(t, {
    bootstrap: file([
      management,
      { ...backend, permissions: null },
      { ...backend, id: ids.other, key: keys.other, permissions: ['token:read'], rules: null },
    ]),
  })
  for (const key of [keys.private, keys.other])
    t.equal((await sender(vault, key)('GET', '/tokens')).status, 200)
})
