import { rm } from 'node:fs/promises'
import t from 'tap'
import { runStoreModel } from '../../port/port.model.ts'
import type { Store } from '../../port/port.ts'
import { MemoryStore } from '../memory/memory-store.ts'
import { LevelStore } from './level-store.ts'

t.test('random histories have the same results in LevelDB and in memory', async t => {
  const folder = t.testdir()
  const folders = new WeakMap<Store, string>()
  let opened = 0
  const openAt = async (path: string) => {
    // In every other opening the index does not fit into memory.
    const store = await LevelStore.open(path, opened++ % 2 === 0 ? {} : { cacheBytes: 2_000 })
    folders.set(store, path)
    return store
  }
  let count = 0
  await runStoreModel(t, {
    openModel: async () => new MemoryStore(),
    open: async () => {
      await rm(`${folder}/${count}`, { recursive: true, force: true })
      return openAt(`${folder}/${++count}`)
    },
    reopen: async store => {
      await store.close()
      return openAt(folders.get(store) ?? '')
    },
    runs: 45,
  })
})
