import t, { type Test } from 'tap'
import { bytesUnder } from '../../../verify/support/files.ts'
import { startProcess } from '../../../verify/support/process.ts'
import { openReceiver } from '../../../verify/support/receiver.ts'
import { dyingAfter, sealedOn } from '../../../verify/support/stores.ts'
import { openTenant, openVault, sender } from '../../../verify/support/vault.ts'
import { removeTenant } from '../../access/remove-tenant.ts'
import { addressOf, rootTenant } from '../../storage/keys/keyring.ts'
import { openStore, parseStorage } from '../../storage/open.ts'
import { type DocumentKind, documentKinds } from '../../storage/port/port.ts'
import { beforeAll } from '../../storage/transfer/walk.ts'
import { keys, oldKey, open, run } from './_copying.ts'
import { furnish } from './_furnished.ts'
import { runCommand } from './table.ts'

const environment = keys(oldKey, undefined)
const remove = (storage: string, id: string) =>
  run('remove-tenant', [id, '--storage', storage, '--yes'], environment)

/** Returns the number of documents of a tenant, by kind. */
async function documentsOf(storage: string, tenant: string): Promise<Partial<Record<DocumentKind, number>>> {
  const store = await openStore(parseStorage(storage))
  try {
    const counts: Partial<Record<DocumentKind, number>> = {}
    for (const kind of documentKinds) {
      const none = { nowMs: beforeAll, offset: 0, limit: 0 }
      const { total } = await store.find(kind, tenant, { op: 'all' }, none)
      if (total > 0) counts[kind] = total
    }
    return counts
  } finally {
    await store.close()
  }
}

/** Returns the box with the wrapped keys of a tenant. */
async function wrapped(storage: string, tenant: string): Promise<Uint8Array | undefined> {
  const store = await openStore(parseStorage(storage))
  const [document] = await store.get('tenant', rootTenant, [addressOf(tenant)])
  await store.close()
  return document?.box
}

async function filled(t: Test) {
  const folder = t.testdir()
  const storage = `level:${folder}/a`
  const vault = open(t, storage, oldKey)
  const { tenant } = await furnish(vault, await openReceiver(t, () => 500))
  const other = await openTenant(vault)
  await other.send('POST', '/tokens', { id: 'kept', type: 'token', data: 1 })
  await vault.close()
  return { folder, storage, tenant, other }
}

t.test('a tenant is removed with its keys, records and due work, and others stay', async t => {
  const { folder, storage, tenant, other } = await filled(t)
  const { tenantId } = tenant
  const before = Object.keys(await documentsOf(storage, tenantId))
  for (const kind of ['token', 'key', 'job', 'audit', 'session', 'setting']) t.ok(before.includes(kind), kind)
  const box = Buffer.from((await wrapped(storage, tenantId)) ?? [])
  t.ok(bytesUnder(folder).includes(box))
  const { output, exitCode } = await remove(storage, tenantId)
  const says = `^the keys of tenant ${tenantId} are destroyed, and \\d{3} records were removed\n$`
  t.match(output, new RegExp(says))
  t.equal(exitCode, 0)
  t.same(await documentsOf(storage, tenantId), {})
  t.notOk(bytesUnder(folder).includes(box), 'the bytes of its wrapped keys are erased')
  const vault = open(t, storage, oldKey)
  for (const key of [tenant.privateKey, tenant.managementKey])
    t.equal((await sender(vault, key)('GET', '/tokens')).status, 401)
  t.equal((await sender(vault, other.privateKey)('GET', '/tokens/kept')).status, 200)
  await vault.clock.advance(3_600_000)
  await vault.close()
  t.same(await documentsOf(storage, tenantId), {}, 'nothing of it was due')
})

t.test('a removal that was interrupted anywhere goes on', async t => {
  for (const commits of [0, 1, 2, 5]) {
    const { storage, tenant, other } = await filled(t)
    const store = await openStore(parseStorage(storage))
    const dying = sealedOn(dyingAfter(store, commits), oldKey)
    await t.rejects(removeTenant(dying, tenant.tenantId, 1), { name: 'StoreUnavailable' })
    await store.close()
    t.equal((await wrapped(storage, tenant.tenantId)) === undefined, commits > 0, 'its keys go first')
    t.match(await remove(storage, tenant.tenantId), { exitCode: 0 })
    t.same(await documentsOf(storage, tenant.tenantId), {})
    const vault = open(t, storage, oldKey)
    t.equal((await sender(vault, other.privateKey)('GET', '/tokens/kept')).status, 200)
    await vault.close()
  }
})

t.test('a key of the bootstrap file, which lies among those of the operator, is removed', async t => {
  const id = '5b493235-6917-4307-906a-2cd6f1a90b13'
  const application = { id: '00000000-0000-4000-8000-000000000001', name: 'A', type: 'private' }
  const applications = [{ ...application, permissions: ['token:read'], key: 'a-key-of-the-file' }]
  const bootstrap = { tenants: [{ id, applications }] }
  const storage = `level:${t.testdir()}/a`
  const vault = openVault(t, { storage, masterKey: oldKey, dev: false, bootstrap })
  await vault.ready()
  await vault.close()
  t.match(await documentsOf(storage, rootTenant), { key: 1 })
  t.match(await remove(storage, id), { exitCode: 0 })
  t.equal((await documentsOf(storage, rootTenant)).key, undefined)
})

t.test('nothing is removed by mistake', async t => {
  const { storage, tenant } = await filled(t)
  const { tenantId } = tenant
  const args = [tenantId, '--storage', storage]
  const asked: string[] = []
  const answering = (answer: string) => async (question: string) => {
    asked.push(question)
    return answer
  }
  const before = await documentsOf(storage, tenantId)
  for (const answer of ['', 'yes', tenant.privateKey]) {
    await t.rejects(runCommand('remove-tenant', args, environment, undefined, answering(answer)), {
      name: 'ConfigError',
      message: 'that is another id: nothing was removed',
    })
  }
  t.equal(asked[0], `All records of ${tenantId} will be lost. Its id again: `)
  for (const id of ['x', rootTenant, tenantId.toUpperCase()])
    t.match(await remove(storage, id), { refusal: 'the id of a tenant is a UUID in lower case' })
  t.same(await documentsOf(storage, tenantId), before)
  t.match(await runCommand('remove-tenant', args, environment, undefined, answering(tenantId)), {
    exitCode: 0,
  })
})

t.test('without a terminal the id is read from standard input', async t => {
  const { storage, tenant } = await filled(t)
  const args = ['remove-tenant', tenant.tenantId, '--storage', storage]
  const command = startProcess(t, args, environment, ['/bin/sh', '-c', 'exec "$@" </dev/null', 'sh'])
  const { code, stderr } = await command.ended
  t.equal(code, 2, 'which is at its end')
  t.match(stderr, /Its id again: surrogate-server: that is another id/)
})
