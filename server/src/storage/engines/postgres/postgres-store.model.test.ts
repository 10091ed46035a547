import t from 'tap'
import { openSchema, otherEntry, withPostgres } from '../../../../verify/support/postgres.ts'
import { runStoreModel } from '../../port/port.model.ts'
import type { Store } from '../../port/port.ts'
import { MemoryStore } from '../memory/memory-store.ts'
import { PostgresStore } from './postgres-store.ts'
import { TwoProcesses } from './two-processes.samples.ts'

t.test('random histories have the same results in PostgreSQL and in memory', withPostgres, async t => {
  const urls = new WeakMap<Store, string>()
  let opened = 0
  const openAt = async (url: string) => {
    const open = (at = url) => PostgresStore.open(at, { migrate: true })
    // Every other time two processes share the database.
    const store =
      opened++ % 2 === 0 ? await open() : new TwoProcesses(await open(), await open(otherEntry(url)))
    urls.set(store, url)
    return store
  }
  await runStoreModel(t, {
    openModel: async () => new MemoryStore(),
    open: async () => openAt(await openSchema(t)),
    reopen: async store => {
      await store.close()
      return openAt(urls.get(store) ?? '')
    },
    oneByOne: store => store instanceof TwoProcesses,
    runs: 30,
  })
})
