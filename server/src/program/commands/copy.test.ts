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
import { almost, base64, copy, fill, keys, moves, newKey, oldKey, open, read } from './_copying.ts'
import { reportProgress } from './destination.ts'
import { runCommand } from './table.ts'

t.test('a server on the copy of a vault responds as one on the source', async t => {
  const folder = t.testdir()
  await moves(t, [`level:${folder}/a`, `level:${folder}/b`])
})

t.test('a copy under the same key needs no second key, and copies a development key', async t => {
  const folder = t.testdir()
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(name => `level:${folder}/${name}`) as [
    string,
    string,
    string,
    string,
  ]
  const apiKey = await fill(t, a)
  t.match((await copy(a, b, keys(oldKey, undefined))).output, /start servers on it with the same key as SURR/)
  t.equal(await read(t, b, oldKey, apiKey), 'as it was 1')

  writeFileSync(join(folder, 'b', 'master.key'), base64(oldKey))
  t.match((await copy(b, c, {})).output, /its key is in master\.key\n$/)
  t.equal(readFileSync(join(folder, 'c', 'master.key'), 'utf8').trim(), base64(oldKey))
  t.equal(await read(t, c, oldKey, apiKey), 'as it was 1')

  t.match((await copy(c, d, keys(undefined, newKey))).output, /with the new key as SURR/)
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

t.test('a copy that cannot be made is refused in one sentence, and creates nothing', async t => {
  const folder = t.testdir({ nothing: {}, 'no-key': { 'master.key': 'short', store: {} }, file: 'a file' })
  const at = (name: string) => `level:${join(folder, name)}`
  const apiKey = await fill(t, at('full'))
  await fill(t, at('taken'))
  const both = keys(oldKey, newKey)
  const refusals: [
    name: string,
    from: string,
    to: string,
    sentence: RegExp,
    environment?: Record<string, string>,
  ][] = [
    [
      'no key',
      at('full'),
      at('new'),
      /^there is no master key: set SURROGATE_MASTER_KEY/,
      keys(undefined, newKey),
    ],
    [
      'another key',
      at('full'),
      at('new'),
      /^the master key of the source is not the one/,
      keys(newKey, oldKey),
    ],
    [
      'a key that is none',
      at('full'),
      at('new'),
      /^SURROGATE_NEW_MASTER_KEY must be 32 bytes/,
      { ...both, SURROGATE_NEW_MASTER_KEY: 'x' },
    ],
    ['a key file that is none', at('no-key'), at('new'), /master\.key .* 32 bytes/, {}],
    ['no data', at('nothing'), at('new'), /^there is no data in/],
    ['an empty store', at('no-key'), at('new'), /^the source has no keys yet/],
    ['memory as the source', 'memory:', at('new'), /^--from cannot be memory:/],
    ['memory as the destination', at('full'), 'memory:', /^--to cannot be memory:/],
    ['no such engine', at('full'), 'mongodb://a:b@c', /^storage must be memory:/],
    ['the same folder', at('full'), `${at('full')}/../full/`, /^--from and --to are the same store/],
    ['a destination with data', at('full'), at('taken'), /^the destination holds data already/],
  ]
  for (const [name, from, to, sentence, environment = both] of refusals) {
    const { refusal } = await copy(from, to, environment)
    t.match(refusal, sentence, name)
    t.notMatch(refusal, /\n/)
    for (const key of [oldKey, newKey]) t.notOk(refusal.includes(base64(key)), 'no key is repeated')
    t.notOk(existsSync(join(folder, 'new')), `${name}: nothing was made`)
  }
  for (const missing of [
    ['--from', at('full')],
    ['--to', at('full')],
  ]) {
    await t.rejects(runCommand('copy', missing, both), { message: /^--(from|to) is missing: level:/ })
  }
  const named = { SURROGATE_FROM: at('full'), SURROGATE_TO: at('new'), ...both }
  t.equal((await runCommand('copy', [], named)).exitCode, 0, 'the control, by the environment')
  t.equal(await read(t, at('new'), newKey, apiKey), 'as it was 1')
})

t.test('a folder in use by a server is refused as source and destination', async t => {
  const folder = t.testdir()
  const [a, b] = [`level:${folder}/a`, `level:${folder}/b`]
  await fill(t, a)
  for (const held of [a, b]) {
    const vault = open(t, held, oldKey)
    await vault.ready()
    t.equal((await copy(a, b)).refusal, 'The data folder is in use by another process.')
    await vault.close()
  }
})

/** The keys of the tokens' documents. */
const tokensIn = async (level: LevelDb) =>
  (await level.keys({ gte: 'o', lt: 'p' }).all()).filter(key => key[23] === 'd')

const program = (args: readonly string[], environment = keys(oldKey, newKey)) => runHere(args, environment)

t.test(
  'no server starts on an unfinished copy; a copy that differs is reported and stays unfinished',
  async t => {
    const folder = t.testdir()
    const [a, b] = [`level:${folder}/a`, `level:${folder}/b`]
    const apiKey = await fill(t, a)
    await almost(t, a, b)
    const start = () => program(['--storage', b, '--port=0'], keys(newKey, undefined))
    const unfinished =
      /"start refused","reason":"a copy into this store was cut off: run copy again [^\n]*"\}\n$/
    t.match(await start(), { code: 2, stdout: '', stderr: unfinished })

    const level = await openLevelDb(join(folder, 'b', 'store'))
    const [at = ''] = await tokensIn(level)
    const whole = (await level.get(at)) as Buffer
    const changed = Buffer.from(whole)
    changed[changed.length - 20] = (changed.at(-20) ?? 0) ^ 1
    await level.put(at, changed)
    await level.close()

    const tampered = await program(['copy', '--from', a, '--to', b])
    t.match(tampered, { code: 2, stdout: '' })
    t.equal(
      tampered.stderr.replace(/[0-9a-f-]{36}/, 'TENANT'),
      `surrogate-server: the copy differs from its source: token/TENANT/${at.slice(24)} is missing or differs; empty the destination and copy again\n`,
    )
    t.match(await start(), { code: 2, stderr: unfinished }, 'and no server starts on it')

    const again = await openLevelDb(join(folder, 'b', 'store'))
    await again.put(at, whole)
    await again.close()
    const ended = await program(['copy', '--from', a, '--to', b])
    t.match(ended, { code: 0, stderr: '' })
    t.match(
      ended.stdout,
      /^0 records of 1 tenant were copied, \d+ were there before; all were read back and are equal; [^\n]*\n$/,
    )
    t.equal(await read(t, b, newKey, apiKey), 'as it was 1')
  },
)

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
  'records that were cut off on the disk of the source are reported, and the rest is copied',
  async t => {
    const folder = t.testdir()
    const [a, b] = [`level:${folder}/a`, `level:${folder}/b`]
    const apiKey = await fill(t, a)
    const level = await openLevelDb(join(folder, 'a', 'store'))
    const [cut = '', ...others] = await tokensIn(level)
    t.equal(others.length, 2)
    await level.put(cut, Buffer.from('short'))
    await level.close()
    const { exitCode, output } = await copy(a, b)
    t.equal(exitCode, 2)
    t.match(
      output,
      new RegExp(
        `but 1 more was cut off on the disk of the source and is missing, the first being token/.*/${cut.slice(24)};`,
      ),
    )
    const vault = open(t, b, newKey)
    const { json } = await sender(vault, apiKey)('GET', '/tokens')
    t.equal(json.pagination.total_items, 2)
    await vault.close()
  },
)

t.test('a record whose content was changed in the source is copied as it is', async t => {
  const folder = t.testdir()
  const [a, b] = [`level:${folder}/a`, `level:${folder}/b`]
  const apiKey = await fill(t, a)
  const level = await openLevelDb(join(folder, 'a', 'store'))
  for (const at of await tokensIn(level)) {
    const value = Buffer.from((await level.get(at)) as Buffer)
    value[value.length - 1] = (value.at(-1) ?? 0) ^ 1
    await level.put(at, value)
  }
  await level.close()
  t.equal((await copy(a, b)).exitCode, 0)
  const vault = openVault(t, { storage: b, masterKey: newKey, dev: false, log: silentLog })
  t.equal((await sender(vault, apiKey)('GET', '/tokens/kept-1')).status, 500, 'as from the source')
  t.equal((await sender(vault, apiKey)('GET', '/tokens')).json.pagination.total_items, 3)
  await vault.close()
})

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
