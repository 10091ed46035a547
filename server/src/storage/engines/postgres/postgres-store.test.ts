import t from 'tap'
import { openSchema, otherEntry, withPostgres } from '../../../../verify/support/postgres.ts'
import { runStoreCases } from '../../port/port.cases.ts'
import type { Store } from '../../port/port.ts'
import { PostgresStore } from './postgres-store.ts'
import { TwoProcesses } from './two-processes.samples.ts'

const urls = new WeakMap<Store, string>()

async function openAt(url: string): Promise<Store> {
  const store = await PostgresStore.open(url, { migrate: true })
  urls.set(store, url)
  return store
}

t.test('the PostgreSQL engine passes the cases of the port', withPostgres, async t => {
  runStoreCases(t, async () => openAt(await openSchema(t)), {
    sharesTime: true,
    reopen: async store => {
      await store.close()
      return openAt(urls.get(store) ?? '')
    },
  })
})

t.test('two engines on one database pass the cases of the port together', withPostgres, async t => {
  const openBoth = async (url: string) => {
    const store = new TwoProcesses(await openAt(url), await openAt(otherEntry(url)))
    urls.set(store, url)
    return store
  }
  runStoreCases(t, async () => openBoth(await openSchema(t)), {
    sharesTime: true,
    reopen: async store => {
      await store.close()
      return openBoth(urls.get(store) ?? '')
    },
  })
})
