import { randomBytes } from 'node:crypto'
import { Level } from 'level'
import t from 'tap'
import { digest, insert, mustCommit, tenantA } from '../../port/port.samples.ts'
import { LevelEngine } from './level-engine.ts'
import type { LevelDb } from './leveldb.ts'

/** What `level` leaves out of its types. */
interface Inspected {
  getProperty(name: string): string
}

/** Returns the last keys of tables that are also the first of the next table of their level, in an older version. */
function splitKeys(tables: string): string[] {
  const split: string[] = []
  let last: string | undefined
  for (const line of tables.split('\n')) {
    const [, first, end] = /\['(.*?)' @ \d+ : \d \.\. '(.*?)' @ \d+ : \d\]/.exec(line) ?? []
    if (first !== undefined && first === last) split.push(first)
    last = end
  }
  return split
}

t.test('no key is divided between two tables of a level', async t => {
  let tables = () => ''
  const store = await LevelEngine.open(t.testdir(), {
    openLevel: async folder => {
      const small = { writeBufferSize: 128 << 10, maxFileSize: 1 << 20, compression: false }
      const level = new Level<string, Buffer>(folder, { ...small, valueEncoding: 'buffer' })
      await level.open()
      tables = () => (level as unknown as Inspected).getProperty('leveldb.sstables')
      return level as LevelDb
    },
  })
  t.teardown(() => store.close())
  const count = 8_000
  for (let at = 0; at < count; at += 500) {
    const writes = Array.from({ length: 500 }, (_, n) =>
      insert(at + n, { box: randomBytes(300), terms: [digest(at + n)] }),
    )
    await mustCommit(store, writes)
  }
  for (let round = 0; round < 3; round++) {
    t.equal(await store.reindex(async () => undefined), count)
    t.ok(tables().includes('@'), 'there are tables')
    t.same(splitKeys(tables()), [])
  }
  const found = await store.find('token', tenantA, { op: 'all' }, { nowMs: 0, offset: 0, limit: 1 })
  t.equal(found.total, count)
})
