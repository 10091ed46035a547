import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bytesUnder } from '../../../verify/support/files.ts'
import { LevelEngine } from '../../storage/engines/level/level-engine.ts'
import { rootTenant } from '../../storage/keys/keyring.ts'
import { base64, fill, keys, newKey, oldKey, read, run } from './_copying.ts'

const rotate = (folder: string, from: Uint8Array | undefined) =>
  run('rotate-master-key', ['--storage', `level:${folder}`], keys(from, newKey))

t.test('after a rotation the new key opens all data, and the old key none', async t => {
  const folder = t.testdir()
  await fill(t, `level:${folder}`)
  const apiKey = await fill(t, `level:${folder}`)
  const store = await LevelEngine.open(join(folder, 'store'))
  const all = { nowMs: 0, offset: 0, limit: 10 }
  const { documents } = await store.find('tenant', rootTenant, { op: 'all' }, all)
  await store.close()
  t.equal(documents.length, 3, 'two tenants and the root')
  // The salt and nonce alone: what is long may be broken up where files are compressed.
  const old = documents.map(({ box }) => Buffer.from(box.subarray(5, 33)))
  for (const bytes of old) t.ok(bytesUnder(folder).includes(bytes), 'before, they are on the disk')

  const { output } = await rotate(folder, oldKey)
  t.match(output, /^the keys of 2 tenants were wrapped under the new master key; .*SURROGATE_MASTER_KEY\n$/)
  for (const bytes of old) t.notOk(bytesUnder(folder).includes(bytes), 'what the old key wrapped is gone')
  t.equal(await read(t, `level:${folder}`, newKey, apiKey), 'as it was 1')
  await t.rejects(read(t, `level:${folder}`, oldKey, apiKey), { name: 'WrongMasterKey' })

  t.match((await rotate(folder, oldKey)).output, /already has the new master key/, 'repeated')
})

t.test('master.key of a test server is replaced', async t => {
  const folder = t.testdir()
  const file = join(folder, 'master.key')
  const apiKey = await fill(t, `level:${folder}`)
  writeFileSync(file, `${base64(oldKey)}\n`)
  t.match((await rotate(folder, undefined)).output, /the new key is in master\.key/)
  t.equal(readFileSync(file, 'utf8'), `${base64(newKey)}\n`)
  t.equal(statSync(file).mode & 0o077, 0, 'for nobody else')
  t.equal(await read(t, `level:${folder}`, newKey, apiKey), 'as it was 1')

  // As if the process had died between the last commit and the file.
  writeFileSync(file, `${base64(oldKey)}\n`)
  const again = /already has the new master key; the new key is in master\.key/
  t.match((await rotate(folder, undefined)).output, again)
  t.equal(readFileSync(file, 'utf8'), `${base64(newKey)}\n`)
  t.match((await rotate(folder, undefined)).refusal, /is the present key of the store/)
})
