import type { VaultParts } from '../src/assembly/parts.ts'
import { MemoryStore } from '../src/storage/engines/memory/memory-store.ts'
import { openStore } from '../src/storage/open.ts'
import type { Store } from '../src/storage/port.ts'
import type { VaultOptions } from '../src/vault-options.ts'
import { newMasterKey, replacing } from './stores.ts'

type Teardown = { teardown(task: () => unknown): void }

/** What tests keep data in where they do not ask for one engine: `memory`, or what the environment names. */
const engine = readEngine(process.env.SURROGATE_TEST_STORAGE)

function readEngine(named = 'memory'): 'memory' | 'postgres' {
  if (named === 'memory' || named === 'postgres') return named
  throw new Error('SURROGATE_TEST_STORAGE must be memory or postgres')
}

/** For tests that are made for every engine: those that this run is to try. */
export const enginesToTry: readonly ('memory' | 'level' | 'postgres')[] =
  engine === 'memory' ? ['memory', 'level'] : [engine]

// Not otherwise: it would start one.
const postgres = engine === 'postgres' ? await import('./postgres.ts') : undefined

/** For the options of a test that takes long and tells something of this engine only. */
export const onPostgresOnly: { readonly skip?: string } = postgres
  ? postgres.withPostgres
  : { skip: 'npm run test:engines runs this' }

/** What makes a vault of a test keep its data in the engine of this run, apart from all others. */
export function testStorage(t: Teardown): { readonly options: VaultOptions; readonly parts: VaultParts } {
  if (!postgres) return { options: {}, parts: {} }
  const schema = postgres.newSchema(t)
  return {
    // As in memory, there is no tenant but those that the test makes.
    options: { storage: schema.url, masterKey: newMasterKey(), developmentTenant: false },
    parts: {
      openStore: async location => {
        await schema.create()
        return openStore(location, true)
      },
    },
  }
}

/** The storage URL of an empty database, for processes that share it. @throws in a run without PostgreSQL */
export async function openTestDatabase(t: Teardown): Promise<string> {
  if (!postgres) throw new Error('this run has no database: see onPostgresOnly')
  return postgres.openSchema(t)
}

/** An empty store for several vaults of a test, or for none; it is closed when the test ends, and not by them. */
export async function openTestStore(t: Teardown): Promise<Store> {
  if (!postgres) return new MemoryStore()
  const store = await openStore({ engine: 'postgres', url: await openTestDatabase(t) }, true)
  t.teardown(() => store.close())
  return replacing(store, { close: async () => {} })
}
