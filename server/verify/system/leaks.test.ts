// Only in CI: it searches everything that servers write.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { LevelEngine } from '../../src/storage/engines/level/level-engine.ts'
import { openLevelDb } from '../../src/storage/engines/level/leveldb.ts'
import { sealedAs } from '../../src/storage/port/port.ts'
import { findLeaks, findLeaksUnder } from '../support/canaries.ts'
import { startProcess } from '../support/process.ts'
import { newMasterKey, sealedOn } from '../support/stores.ts'
import {
  ask,
  askAt,
  bootstrap,
  canaries,
  contents,
  exerciseManagement,
  exerciseProxy,
  exerciseSessions,
  exerciseTokens,
  readLog,
  readRequests,
  refusals,
  refuse,
  request,
  statuses,
  tenantId,
  word,
} from './leaks.cases.ts'
import { exerciseReactors } from './leaks.reactors.cases.ts'

/**
 * Runs all operations of a server with unique values, and then searches for them in its output, its refusals, its
 * audit log, and all files of its data folder.
 */
const day = 24 * 60 * 60 * 1000
const folder = t.testdir()
const data = join(folder, 'data')
const masterKey = newMasterKey()
const setup = join(folder, 'bootstrap.json')
const start = (...flags: string[]) => {
  const origin = '--proxy-allow-origin=https://api.example.com'
  const args = ['--port=0', `--storage=level:${data}`, `--bootstrap=${setup}`, origin, ...flags]
  return startProcess(t, args, { SURROGATE_MASTER_KEY: Buffer.from(masterKey).toString('base64') })
}

t.test('no canary is in a log or a refusal', async t => {
  mkdirSync(data)
  writeFileSync(setup, JSON.stringify(bootstrap))
  const server = start('--dev')
  askAt((await server.ready()).url)
  await exerciseTokens(t)
  await exerciseManagement(t)
  await exerciseProxy(t)
  await exerciseSessions(t)
  await refuse(t)
  await exerciseReactors(t)
  const expires_at = new Date(Date.now() + 2 * day).toISOString()
  const ending = { ...request('card', contents.card()), expires_at }
  t.equal((await ask('POST', '/tokens', ending)).status, 201)
  const untouched = request('token', word('data that stays'))
  t.equal((await ask('POST', '/tokens', untouched)).status, 201)
  t.equal((await ask('POST', '/_dev/clock', { advance_ms: 3 * day })).status, 200)
  t.equal((await ask('GET', `/tokens/${ending.id}`)).status, 404, 'the token has expired')
  const shown = (await ask('GET', `/tokens/${untouched.id}`)).text
  t.ok(shown.includes(String(untouched.data)), 'control: the response has it')
  const log = await readLog()
  const ids = canaries.all.filter(({ sort }) => sort === 'id')
  const others = canaries.all.filter(({ sort }) => sort !== 'id')
  t.ok(findLeaks(ids, log).length > 5, 'control: the log contains ids')
  t.same(findLeaks(others, log), [], 'the audit log')
  const record = await readRequests()
  t.ok(JSON.parse(record).data.length > 20, 'control: requests were recorded')
  // The record is asked for the keys of repeated requests, which are the caller's own ids.
  const secrets = others.filter(({ sort, what }) => sort === 'secret' && !/idempotency key/.test(what))
  t.same(findLeaks(secrets, record), [], 'the record of requests')
  const first = await server.end()
  t.equal(first.code, 0)

  // Provokes an internal error: a record is damaged in the store.
  const store = await LevelEngine.open(join(data, 'store'))
  const view = await sealedOn(store, masterKey).tenant(tenantId)
  const place = view?.address('token', untouched.id)
  if (!view || !place) throw new Error('the tenant is missing')
  const [kept] = await store.get('token', tenantId, [place])
  if (!kept) throw new Error('the token is missing')
  const box = kept.box.map((byte, at) => (at === kept.box.length - 1 ? byte ^ 1 : byte))
  const { version, terms, uniques } = kept
  const damaged = {
    type: 'replace',
    kind: 'token',
    tenant: tenantId,
    id: place,
    version,
    terms,
    uniques,
  } as const
  await store.commit([{ ...damaged, ...sealedAs(box) }], 1)
  await store.close()
  const production = start()
  askAt((await production.ready()).url)
  t.equal((await ask('GET', `/tokens/${untouched.id}`)).status, 500)
  t.equal((await ask('GET', '/tokens')).status, 200)
  const second = await production.end()
  t.match(second.stderr, /BrokenRecord/, 'control: the log was captured')

  for (const status of [200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422, 500])
    t.ok(statuses.has(status), `some response had status ${status}`)
  t.same(refusals, [], 'problems')
  t.same(findLeaks(canaries.all, `${first.stdout}${second.stdout}`), [], 'standard output')
  t.same(findLeaks(canaries.all, `${first.stderr}${second.stderr}`), [], 'the log of the process')
  t.comment(`${canaries.all.length} canaries`)
})

t.test('no canary is in the data folder, compressed or not', async t => {
  t.same(findLeaksUnder(canaries.all, data), [])
  const level = await openLevelDb(join(data, 'store'))
  const dump = await level.iterator().all()
  t.ok(dump.length > 100)
  // Files are compressed, so their contents are also read through LevelDB.
  const read = Buffer.concat(dump.flatMap(([name, value]) => [Buffer.from(name), value]))
  t.same(findLeaks(canaries.all, read), [])
  await level.close()
  const store = await LevelEngine.open(join(data, 'store'))
  await store.compact()
  t.same(findLeaksUnder(canaries.all, data), [])
  await store.close()
  t.same(findLeaksUnder(canaries.all, data), [])
  writeFileSync(join(data, 'planted'), canaries.all.at(-1)?.value ?? '')
  t.equal(findLeaksUnder(canaries.all, data).length, 1, 'control: a planted canary is found')
})
