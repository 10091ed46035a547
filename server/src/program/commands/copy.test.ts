// Only in CI: it kills copies and starts servers on them.
// In a process of its own: it takes long.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { startProcess } from '../../../verify/support/process.ts'
import { runHere } from '../../../verify/support/run-here.ts'
import { openVault, sender } from '../../../verify/support/vault.ts'
import { silentLog } from '../../base/log.ts'
import { type LevelDb, openLevelDb } from '../../storage/engines/level/leveldb.ts'
import { rootTenant } from '../../storage/keys/keyring.ts'
import { openStore, parseStorage } from '../../storage/open.ts'
import { almost, base64, copy, fill, keys, moves, newKey, oldKey, read, run } from './_copying.ts'
import { reportProgress } from './destination.ts'

t.test('a server on the copy of a vault responds as one on the source', async t => {
  const folder = t.testdir()
  await moves(t, [`level:${folder}/a`, `level:${folder}/b`])
})

t.test('a copy under the same key needs no second key, and copies a development key', async t => {
  const folder = t.testdir()
  const [a, b, c, d] = [`level:${folder}/a`, `level:${folder}/b`, `level:${folder}/c`, `level:${folder}/d`]
  const apiKey = await fill(t, a)
  t.match((await copy(a, b, keys(oldKey, undefined))).output, /start servers on it with the same key as SURR/)
  t.equal(await read(t, b, oldKey, apiKey), 'as it was 1')

  writeFileSync(join(folder, 'b', 'master.key'), base64(oldKey))
  t.match((await copy(b, c, {})).output, /its key is in master\.key\n$/)
  t.equal(readFileSync(join(folder, 'c', 'master.key'), 'utf8').trim(), base64(oldKey))
  t.equal(await read(t, c, oldKey, apiKey), 'as it was 1')

  const named = { SURROGATE_FROM: c, SURROGATE_TO: d, ...keys(undefined, newKey) }
  t.match((await run('copy', [], named)).output, /with the new key as SURR/)
  t.notOk(existsSync(join(folder, 'd', 'master.key')), 'a key that was given is not written down')
  t.equal(await read(t, d, newKey, apiKey), 'as it was 1')
})

t.test('progress is reported once for every so many records', async t => {
  const lines: string[] = []
  const progress = reportProgress(line => lines.push(line), 1000)
  for (const records of [0, 999, 1000, 1001, 1999, 2500, 2500, 4999]) progress('copied', records)
  for (const records of [1, 1000, 4999]) progress('compared', records)
  t.same(lines, [
    '1,000 records copied',
    '2,000 records copied',
    '4,000 records copied',
    '1,000 records compared',
    '4,000 records compared',
  ])
})

/** The keys of the tokens' documents. */
const tokensIn = async (level: LevelDb) =>
  (await level.keys({ gte: 'o', lt: 'p' }).all()).filter(key => key[23] === 'd')

/** Returns bytes of which one is another. */
function changedAt(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}

t.test('no server starts on a copy that is unfinished, or differs from its source', async t => {
  const folder = t.testdir()
  const [a, b] = [`level:${folder}/a`, `level:${folder}/b`]
  const apiKey = await fill(t, a)
  await almost(t, a, b)
  const start = () => runHere(['--storage', b, '--port=0'], keys(newKey, undefined))
  const says = /"start refused","reason":"a copy into this store was cut off: run copy again [^\n]*"\}\n$/
  const unfinished = { code: 2, stdout: '', stderr: says }
  t.match(await start(), unfinished)

  const level = await openLevelDb(join(folder, 'b', 'store'))
  const [at = ''] = await tokensIn(level)
  const whole = (await level.get(at)) as Buffer
  await level.put(at, changedAt(whole, whole.length - 20))
  await level.close()
  const { refusal } = await copy(a, b)
  t.equal(
    refusal.replace(/[0-9a-f-]{36}/, 'TENANT'),
    `the copy differs from its source: token/TENANT/${at.slice(24)} is missing or differs; empty the destination and copy again`,
  )
  t.match(await start(), unfinished)

  const again = await openLevelDb(join(folder, 'b', 'store'))
  await again.put(at, whole)
  await again.close()
  t.match(
    (await copy(a, b)).output,
    /^0 records of 1 tenant were copied, \d+ were there before; all were read back and are equal; [^\n]*\n$/,
  )
  t.equal(await read(t, b, newKey, apiKey), 'as it was 1')
})

function bytesUnder(folder: string): number {
  if (!existsSync(folder)) return 0
  // A file may go between the two.
  const size = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return readdirSync(folder).reduce((sum, name) => sum + size(name), 0)
}

t.test('a copy that was killed continues', async t => {
  const folder = t.testdir()
  const [a, b] = [`level:${folder}/a`, `level:${folder}/b`]
  const apiKey = await fill(t, a, 3_000)
  for (let kills = 0; kills < 2; kills++) {
    const running = startProcess(t, ['copy', '--from', a, '--to', b], keys(oldKey, newKey))
    let isOver = false
    void running.ended.then(() => {
      isOver = true
    })
    const size = () => bytesUnder(join(folder, 'b', 'store'))
    const enough = size() + 300_000
    while (!isOver && size() < enough) await wait(2)
    await running.end('SIGKILL')
  }
  const { refusal, output } = await copy(a, b)
  t.equal(refusal, '')
  t.match(output, /^[\d,]+ records of 1 tenant were copied, [\d,]+ were there before; all/)
  t.equal(await read(t, b, newKey, apiKey), 'as it was 1')
})

t.test(
  'records that were cut off on the disk of the source are reported, and others copied as they are',
  async t => {
    const folder = t.testdir()
    const [a, b] = [`level:${folder}/a`, `level:${folder}/b`]
    const apiKey = await fill(t, a)
    const level = await openLevelDb(join(folder, 'a', 'store'))
    const [cut = '', ...others] = await tokensIn(level)
    t.equal(others.length, 2)
    await level.put(cut, Buffer.from('short'))
    for (const at of others) {
      const value = (await level.get(at)) as Buffer
      await level.put(at, changedAt(value, value.length - 1))
    }
    await level.close()
    const { exitCode, output } = await copy(a, b)
    t.equal(exitCode, 2)
    t.match(
      output,
      /but 1 more was cut off on the disk of the source and is missing, the first being token\//,
    )
    t.ok(output.includes(`/${cut.slice(24)};`), output)
    const vault = openVault(t, { storage: b, masterKey: newKey, dev: false, log: silentLog })
    const { json } = await sender(vault, apiKey)('GET', '/tokens')
    t.equal(json.pagination.total_items, 2)
    const statuses = []
    for (const at of [0, 1, 2])
      statuses.push((await sender(vault, apiKey)('GET', `/tokens/kept-${at}`)).status)
    t.same(statuses.sort(), [404, 500, 500], 'as from the source')
    await vault.close()
  },
)

t.test('only the wrapped keys are sealed again', async t => {
  const folder = t.testdir()
  const [a, b] = [`level:${folder}/a`, `level:${folder}/b`]
  await fill(t, a)
  await copy(a, b)
  const stores = [await openStore(parseStorage(a)), await openStore(parseStorage(b))] as const
  const all = { nowMs: 0, offset: 0, limit: 100 }
  const boxes = async (side: 0 | 1) => {
    const { documents } = await stores[side].find('setting', rootTenant, { op: 'all' }, all)
    const tenants = (await stores[side].find('tenant', rootTenant, { op: 'all' }, all)).documents
    return {
      rest: documents.map(({ box }) => box),
      keys: tenants.map(({ box }) => Buffer.from(box).toString('hex')),
    }
  }
  const [before, after] = [await boxes(0), await boxes(1)]
  t.same(after.rest, before.rest)
  for (const box of after.keys) t.notOk(before.keys.includes(box))
  for (const store of stores) await store.close()
})
