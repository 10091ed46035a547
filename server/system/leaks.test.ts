import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { LevelStore } from '../src/storage/engines/level/level-store.ts'
import { openLevelDb } from '../src/storage/engines/level/leveldb.ts'
import { type Canary, findLeaks, findLeaksUnder, spellings } from '../testing/canaries.ts'
import { startProcess } from '../testing/process.ts'
import { newMasterKey, sealedOn } from '../testing/stores.ts'
import {
  ask,
  askAt,
  bootstrap,
  borrow,
  canaries,
  contents,
  live,
  manage,
  readLog,
  refusals,
  refuse,
  request,
  statuses,
  tenantId,
  word,
} from './leaks.cases.ts'
import { automate } from './leaks.reactors.cases.ts'

/**
 * A server lives a whole life with values that occur nowhere else, and then everything it left behind is
 * searched for them: what it said, what it refused, its audit log, and every byte of its folder.
 */
const day = 24 * 60 * 60 * 1000
const folder = t.testdir()
const data = join(folder, 'data')
const masterKey = newMasterKey()
const setup = join(folder, 'bootstrap.json')
const start = (...flags: string[]) => {
  const args = ['--port=0', `--storage=level:${data}`, `--bootstrap=${setup}`, ...flags]
  return startProcess(t, args, { SURROGATE_MASTER_KEY: Buffer.from(masterKey).toString('base64') })
}

t.test('the search finds a canary in every spelling, wherever it begins', async t => {
  const planted: Canary[] = [{ what: 'planted', sort: 'secret', value: 'a1b2-Planted é' }]
  for (const [encoding, bytes] of spellings(planted[0]?.value ?? '')) {
    t.same(
      findLeaks(planted, Buffer.concat([Buffer.from('xyz'), bytes, Buffer.from('w')])).length,
      1,
      encoding,
    )
  }
  for (const before of ['', 'x', 'xy', 'xyz']) {
    const text = Buffer.from(`${before}a1b2-Planted é and more`).toString('base64')
    t.equal(findLeaks(planted, text).length, 1, `base64 behind ${before.length} bytes`)
  }
  t.same(findLeaks(planted, 'nothing of it'), [])
  const place = t.testdir({ deep: { file: 'xx a1b2-Planted é xx' } })
  t.equal(findLeaksUnder(planted, place).length, 1)
})

t.test('a whole life leaves nothing where it must not be', async t => {
  mkdirSync(data)
  writeFileSync(setup, JSON.stringify(bootstrap))
  const server = start('--dev')
  askAt((await server.ready()).url)
  await live(t)
  await manage(t)
  await borrow(t)
  await refuse(t)
  await automate(t)
  const ending = {
    ...request('card', contents.card?.() ?? null),
    expires_at: new Date(Date.now() + 2 * day).toISOString(),
  }
  t.equal((await ask('POST', '/tokens', ending)).status, 201)
  const untouched = request('token', word('data that stays'))
  t.equal((await ask('POST', '/tokens', untouched)).status, 201)
  t.equal((await ask('POST', '/_dev/clock', { advance_ms: 3 * day })).status, 200)
  t.equal((await ask('GET', `/tokens/${ending.id}`)).status, 404, 'its time is over')
  t.ok(
    (await ask('GET', `/tokens/${untouched.id}`)).text.includes(String(untouched.data)),
    'control: it is shown',
  )
  const log = await readLog()
  t.ok(
    findLeaks(
      canaries.all.filter(({ sort }) => sort === 'id'),
      log,
    ).length > 5,
    'control: the log names ids',
  )
  t.same(
    findLeaks(
      canaries.all.filter(({ sort }) => sort !== 'id'),
      log,
    ),
    [],
    'the audit log',
  )
  const first = await server.end()
  t.equal(first.code, 0)

  // What a fault of ours says: a record is spoilt behind the server's back.
  const store = await LevelStore.open(join(data, 'store'))
  const view = await sealedOn(store, masterKey).tenant(tenantId)
  const place = view?.address('token', untouched.id)
  if (!view || !place) throw new Error('the tenant is there')
  const [kept] = await store.get('token', tenantId, [place])
  if (!kept) throw new Error('the token is there')
  const box = kept.box.map((byte, at) => (at === kept.box.length - 1 ? byte ^ 1 : byte))
  const { version, terms, uniques } = kept
  await store.commit(
    [{ type: 'replace', kind: 'token', tenant: tenantId, id: place, version, terms, uniques, box }],
    1,
  )
  await store.close()
  const production = start()
  askAt((await production.ready()).url)
  t.equal((await ask('GET', `/tokens/${untouched.id}`)).status, 500)
  t.equal((await ask('GET', '/tokens')).status, 200)
  const second = await production.end()
  t.match(second.stderr, /BrokenRecord/, 'control: the log is heard')

  for (const status of [200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422, 500]) {
    t.ok(statuses.has(status), `some answer was ${status}`)
  }
  t.same(refusals, [], 'problems')
  t.same(findLeaks(canaries.all, `${first.stdout}${second.stdout}`), [], 'standard output')
  t.same(findLeaks(canaries.all, `${first.stderr}${second.stderr}`), [], 'the log of the process')
  t.comment(`${canaries.all.length} canaries`)
})

t.test('nor is any of it in the folder, as it is or written anew', async t => {
  t.same(findLeaksUnder(canaries.all, data), [])
  const level = await openLevelDb(join(data, 'store'))
  const dump = await level.iterator().all()
  t.ok(dump.length > 100)
  // Files are compressed; what is read out of them is not.
  t.same(
    findLeaks(canaries.all, Buffer.concat(dump.flatMap(([name, value]) => [Buffer.from(name), value]))),
    [],
  )
  await level.close()
  const store = await LevelStore.open(join(data, 'store'))
  await store.compact()
  t.same(findLeaksUnder(canaries.all, data), [])
  await store.close()
  t.same(findLeaksUnder(canaries.all, data), [])
  writeFileSync(join(data, 'planted'), canaries.all.at(-1)?.value ?? '')
  t.equal(findLeaksUnder(canaries.all, data).length, 1, 'control: what is there is found')
})
