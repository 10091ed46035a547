import t from 'tap'
import { runStoreCases } from '../../port/port.cases.ts'
import { insert, mustCommit } from '../../port/port.samples.ts'
import type { Store, Write } from '../../port/port.ts'
import { LevelStore } from './level-store.ts'
import { type LevelDb, openLevelDb } from './leveldb.ts'

t.test('the LevelDB engine passes the cases of the port', async t => {
  const folder = t.testdir()
  const folders = new Map<Store, string>()
  const openAt = async (path: string) => {
    const store = await LevelStore.open(path)
    folders.set(store, path)
    return store
  }
  let count = 0
  runStoreCases(t, () => openAt(`${folder}/${count++}`), {
    keepsRecent: true,
    reopen: async store => {
      await store.close()
      return openAt(folders.get(store) ?? '')
    },
  })
})

t.test('a fresh insert into a known collection reads nothing', async t => {
  let reads = 0
  const openLevel = async (folder: string) => {
    const level = await openLevelDb(folder)
    const counting = <Method extends 'getSync' | 'getMany'>(name: Method) => {
      const method = level[name].bind(level) as (...args: unknown[]) => unknown
      Object.assign(level, {
        [name]: (...args: unknown[]) => {
          reads++
          return method(...args)
        },
      })
    }
    counting('getSync')
    counting('getMany')
    return level satisfies LevelDb
  }
  const store = await LevelStore.open(t.testdir(), { openLevel })
  t.teardown(() => store.close())
  await mustCommit(store, [insert('a', { terms: ['t'] })])
  reads = 0
  await mustCommit(store, [{ ...insert('b', { terms: ['t'] }), fresh: true } as Write])
  t.equal(reads, 0)
  await mustCommit(store, [insert('c', { terms: ['t'] })])
  t.not(reads, 0)
})
