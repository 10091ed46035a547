import t from 'tap'
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
import { documentKey } from './keys.ts'
import { LevelStore } from './level-store.ts'
import { openLevelDb } from './leveldb.ts'

t.test('a value that was cut off anywhere does not affect others', async t => {
  const folder = t.testdir()
  const filled = await LevelStore.open(folder)
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
    const store = await LevelStore.open(folder)

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
