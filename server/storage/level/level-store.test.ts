import t from 'tap'
import { runStoreCases } from '../port.cases.ts'
import type { Store } from '../port.ts'
import { LevelStore } from './level-store.ts'

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
    reopen: async store => {
      await store.close()
      return openAt(folders.get(store) ?? '')
    },
  })
})
