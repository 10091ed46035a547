// Only in CI: it kills copies and starts servers on them.
// In a process of its own: it takes long.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { filesUnder } from '../../../verify/support/files.ts'
import { startProcess } from '../../../verify/support/process.ts'
import { runHere } from '../../../verify/support/run-here.ts'
import { dyingAfter } from '../../../verify/support/stores.ts'
import { systemRandom } from '../../base/random.ts'
import { openLevelDb } from '../../storage/engines/level/leveldb.ts'
import { openStore, parseStorage } from '../../storage/open.ts'
import { copyStore, openSource } from '../../storage/transfer/copy-store.ts'
import { documentsIn } from '../../storage/transfer/walk.ts'
import {
  backUp,
  base64,
  copy,
  fill,
  keys,
  moves,
  newKey,
  newStore,
  oldKey,
  read,
  restore,
  run,
} from './_copying.ts'
import { reportProgress } from './destination.ts'

/** Opens folders of a test by name. */
const foldersOf = (t: Test) => {
  const folder = t.testdir()
  return { folder, at: (name: string) => `level:${join(folder, name)}` }
}

t.test('a server on the copy of a vault responds as one on the source', async t => {
  const { at } = foldersOf(t)
  await moves(t, [at('a'), await newStore(t, 'b'), await newStore(t, 'c'), at('d')])
})

t.test('a server on the restored backup of a vault responds as the one before', async t => {
  const { folder, at } = foldersOf(t)
  let count = 0
  const carry = async (from: string, to: string, environment = keys(oldKey, undefined)) => {
    const file = join(folder, `backup-${count++}`)
    const { output, exitCode } = await backUp(from, file, environment)
    t.equal(exitCode, 0)
    t.match(output, /backup-\d: \d{3} records of 2 tenants, read back and equal\n$/)
    t.equal(statSync(file).mode & 0o777, 0o600)
    return restore(file, to, environment)
  }
  await moves(t, [await newStore(t, 'a'), at('b'), await newStore(t, 'c')], carry)
  t.same(readdirSync(join(folder, 'b')), ['store'], 'nothing stays in the data folder')
})

t.test('a copy under the same key needs no second key, and copies a development key', async t => {
  const { folder, at } = foldersOf(t)
  const [a, b, c, d] = [at('a'), at('b'), at('c'), at('d')]
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

t.test('no server starts on a copy that was interrupted anywhere, and it can be continued', async t => {
  const { at } = foldersOf(t)
  const apiKey = await fill(t, at('a'))
  const says = /"start refused","reason":"a copy into this store was cut off: run copy again [^\n]*"\}\n$/
  for (const commits of [1, 2, 3, 5]) {
    const to = await newStore(t, `b-${commits}`)
    const stores = [await openStore(parseStorage(at('a'))), await openStore(parseStorage(to))] as const
    const from = await openSource(documentsIn(stores[0]), oldKey)
    const dying = { store: dyingAfter(stores[1], commits), masterKey: newKey }
    const copying = copyStore({ from, to: dying, random: systemRandom(), nowUs: 1, batchSize: 3 })
    await t.rejects(copying, { name: 'StoreUnavailable' })
    for (const store of stores) await store.close()
    await t.rejects(read(t, to, newKey, apiKey), { name: 'UnfinishedCopy' })
    const started = await runHere(['--storage', to, '--port=0'], keys(newKey, undefined))
    t.match(started, { code: 2, stdout: '', stderr: says })
    const { output } = await copy(at('a'), to)
    t.match(output, commits > 1 ? /, \d+ were there before; all were read back/ : /copied; all were/)
    t.equal(await read(t, to, newKey, apiKey), 'as it was 1')
  }
})

function sizeOf(folder: string): number {
  if (!existsSync(folder)) return 0
  // A file may go between the two.
  const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return filesUnder(folder).reduce((sum, path) => sum + size(path), 0)
}

t.test('a copy that was killed continues', async t => {
  const { folder, at } = foldersOf(t)
  const [a, b] = [at('a'), at('b')]
  const apiKey = await fill(t, a, 3_000)
  for (let kills = 0; kills < 2; kills++) {
    const running = startProcess(t, ['copy', '--from', a, '--to', b], keys(oldKey, newKey))
    let isOver = false
    void running.ended.then(() => {
      isOver = true
    })
    const size = () => sizeOf(join(folder, 'b', 'store'))
    const enough = size() + 300_000
    while (!isOver && size() < enough) await wait(2)
    await running.end('SIGKILL')
  }
  const { refusal, output } = await copy(a, b)
  t.equal(refusal, '')
  t.match(output, /^[\d,]+ records of 1 tenant were copied, [\d,]+ were there before; all/)
  t.equal(await read(t, b, newKey, apiKey), 'as it was 1')
})

t.test('a record that was cut off on the disk of the source is reported, and others copied', async t => {
  const { folder, at } = foldersOf(t)
  const apiKey = await fill(t, at('a'))
  const level = await openLevelDb(join(folder, 'a', 'store'))
  // The newest token; 'd' marks documents.
  const cut = (await level.keys({ gte: 'o', lt: 'p' }).all()).filter(key => key[23] === 'd').at(-1) ?? ''
  await level.put(cut, Buffer.from('short'))
  await level.close()
  const { exitCode, output } = await copy(at('a'), at('b'))
  t.equal(exitCode, 2)
  t.match(output, /but 1 more was cut off on the disk of the source and is missing, the first being token\//)
  t.ok(output.includes(`/${cut.slice(24)};`), output)
  t.match(await read(t, at('b'), newKey, apiKey, '/tokens'), { length: 2 })
})
