import t from 'tap'
import { replacing } from '../../../../verify/support/stores.ts'
import { openTenant, openVault } from '../../../../verify/support/vault.ts'
import { silentLog } from '../../../base/log.ts'
import { collectionOf } from '../../port/collection.ts'
import {
  digest,
  find,
  get,
  insert,
  mustCommit,
  remove,
  replace,
  tenantA,
  term,
} from '../../port/port.samples.ts'
import { StoreDamaged, StoreUnavailable } from '../../port/port.ts'
import { MemoryEngine } from '../memory/memory-engine.ts'
import { documentKey } from './keys.ts'
import { LevelEngine } from './level-engine.ts'
import { type LevelDb, openLevelDb } from './leveldb.ts'

const damagedKey = documentKey(collectionOf({ kind: 'token', tenant: tenantA }), digest('damaged'))

function corruption(): Error {
  return Object.assign(new Error('Corruption: bad block type'), { code: 'LEVEL_CORRUPTION' })
}

/** LevelDB with one key that it cannot read. */
async function openDamaged(folder: string, faults: { isDamaged: boolean; isWriteDamaged?: boolean }) {
  const level = await openLevelDb(folder)
  const getSync = level.getSync.bind(level) as (...given: unknown[]) => Buffer | undefined
  const getMany = level.getMany.bind(level) as (...given: unknown[]) => Promise<(Buffer | undefined)[]>
  const makeBatch = level.batch.bind(level) as () => ReturnType<LevelDb['batch']>
  level.getSync = ((key: string, options: object) => {
    if (faults.isDamaged && key === damagedKey) throw corruption()
    return getSync(key, options)
  }) as LevelDb['getSync']
  level.getMany = (async (keys: string[], options: object) => {
    if (faults.isDamaged && keys.includes(damagedKey)) throw corruption()
    return getMany(keys, options)
  }) as LevelDb['getMany']
  level.batch = (() => {
    const batch = makeBatch()
    if (faults.isWriteDamaged) batch.write = async () => Promise.reject(corruption())
    return batch
  }) as LevelDb['batch']
  return level
}

t.test('damaged data fail only requests that need them', async t => {
  const faults = { isDamaged: false }
  const store = await LevelEngine.open(t.testdir(), { openLevel: folder => openDamaged(folder, faults) })
  t.teardown(() => store.close())
  await mustCommit(store, [insert('damaged', { terms: ['x'] }), insert('whole')])
  faults.isDamaged = true
  await t.rejects(get(store, 'damaged'), StoreDamaged)
  t.equal((await get(store, 'whole'))[0]?.version, 1)

  // All of them share a batch.
  const commits = await Promise.allSettled([
    store.commit([insert('before', { terms: ['x'] })], 10),
    store.commit([replace('damaged', 1)], 10),
    store.commit([replace('whole', 1), insert('after', { terms: ['x'] })], 10),
  ])
  const statuses = commits.map(({ status }) => status)
  t.same(statuses, ['fulfilled', 'rejected', 'fulfilled'])
  t.match(commits[1], { reason: { name: 'StoreDamaged' } })
  t.equal(store.unhealthy(), undefined)
  const versions = (await get(store, 'before', 'whole', 'after')).map(document => document?.version)
  t.same(versions, [1, 2, 1])
  const stamps = (await get(store, 'before', 'after')).map(document => document?.createdUs)
  t.not(stamps[0], stamps[1])
})

t.test('the reason for a failed write because of damage says what to do', async t => {
  const faults = { isDamaged: false, isWriteDamaged: false }
  const store = await LevelEngine.open(t.testdir(), {
    openLevel: folder => openDamaged(folder, faults),
    delay: (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
  })
  t.teardown(() => store.close())
  await mustCommit(store, [insert('a')])
  faults.isWriteDamaged = true
  await t.rejects(store.commit([insert('b')], 1), StoreUnavailable)
  t.match(store.unhealthy(), /^the data folder is damaged: stop the server and run .+ reindex$/)
  t.equal((await get(store, 'a'))[0]?.version, 1, 'reads go on')
})

t.test('a request that needs damaged data is a 500, and the log has the reason', async t => {
  const memory = new MemoryEngine()
  let isDamaged = false
  const store = replacing(memory, {
    get: async (kind, tenant, ids) => {
      if (isDamaged && kind === 'token') throw new StoreDamaged('a part of the data folder is damaged')
      return memory.get(kind, tenant, ids)
    },
  })
  const told: unknown[] = []
  const log = { ...silentLog, error: (event: string, fields?: object) => told.push({ event, ...fields }) }
  const vault = openVault(t, { log }, { openStore: async () => store })
  const tenant = await openTenant(vault)
  const { id } = (await tenant.send('POST', '/tokens', { type: 'token', data: 1 })).json
  t.equal((await tenant.send('GET', `/tokens/${id}`)).status, 200, 'the control')
  isDamaged = true
  t.equal((await tenant.send('GET', `/tokens/${id}`)).status, 500)
  t.match(told, [{ event: 'request failed', error: 'StoreDamaged' }])
})

t.test('a value that was cut off anywhere does not affect others', async t => {
  const folder = t.testdir()
  const filled = await LevelEngine.open(folder)
  await mustCommit(filled, [
    insert('whole', { terms: ['x', 'y'], dueMs: 5 }),
    insert('cut', { terms: ['x', 'y'], uniques: ['u'], dueMs: 4 }),
    insert('last', { terms: ['x'] }),
  ])
  await filled.close()

  const key = documentKey(collectionOf({ kind: 'token', tenant: tenantA }), digest('cut'))
  const raw = await openLevelDb(folder)
  const value = (await raw.get(key)) as Buffer
  await raw.close()
  // Up to the box: only its seal detects a cut inside it.
  for (const length of [0, 1, 40, 41, 42, 41 + 22, 41 + 3 * 22 - 1]) {
    const level = await openLevelDb(folder)
    await level.put(key, value.subarray(0, length))
    await level.close()
    const store = await LevelEngine.open(folder)

    const [whole, cut] = await get(store, 'whole', 'cut')
    t.equal(whole?.version, 1, `${length} bytes`)
    t.match(cut, { version: 0, id: digest('cut') })
    t.equal(cut?.box.length, 0)
    t.equal((await find(store, term('x'))).documents.length, 3, 'its page can be read')
    const { documents } = await find(store, { op: 'all' })
    const stamps = documents.map(({ createdUs }) => createdUs)
    t.same(
      stamps,
      [...new Set(stamps)].sort((a, b) => b - a),
      'and continued from it',
    )
    t.equal((await store.due('token', 10, 10)).length, 2)

    const conflict = async (write: Parameters<typeof store.commit>[0][number]) => {
      const result = await store.commit([write], 1)
      return result.ok ? 'none' : result.conflict.reason
    }
    t.equal(await conflict(insert('cut')), 'exists')
    for (const version of [0, 1]) {
      t.equal(await conflict(replace('cut', version)), 'version')
      t.equal(await conflict(remove('cut', version)), 'version')
    }
    t.equal(await conflict(remove('cut')), 'version')
    await mustCommit(store, [
      insert(`another-${length}`),
      replace('whole', whole?.version ?? 0, { dueMs: 5, terms: ['x'] }),
    ])
    await mustCommit(store, [remove(`another-${length}`), remove('whole')])
    await mustCommit(store, [insert('whole', { terms: ['x', 'y'], dueMs: 5 })])
    t.equal(store.unhealthy(), undefined)
    await store.close()
  }
})
