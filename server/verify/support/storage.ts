import type { VaultParts } from '../../src/assembly/vault-parts.ts'
import type { VaultOptions } from '../../src/options/vault-options.ts'
import { MemoryEngine } from '../../src/storage/engines/memory/memory-engine.ts'
import { openStore, parseStorage } from '../../src/storage/open.ts'
import type { OpenEngine } from '../../src/storage/port/port.ts'
import { newMasterKey, replacing } from './stores.ts'

type Teardown = { teardown(task: () => unknown): void }

/** The engine of tests that do not ask for one: `memory`, or the one in the environment. */
const engine = readEngine(process.env.SURROGATE_TEST_STORAGE)

function readEngine(named = 'memory'): 'memory' | 'postgres' {
  if (named === 'memory' || named === 'postgres') return named
  throw new Error('SURROGATE_TEST_STORAGE must be memory or postgres')
}

/** The engines that tests of every engine use in this run. */
export const enginesToTry: readonly ('memory' | 'level' | 'postgres')[] =
  engine === 'memory' ? ['memory', 'level'] : [engine]

// Imported only if needed, as the import starts a server.
const postgres = engine === 'postgres' ? await import('./postgres.ts') : undefined

/** Options of a test that takes long and concerns only PostgreSQL. */
export const onPostgresOnly: { readonly skip?: string } = postgres
  ? postgres.withPostgres
  : { skip: 'npm run verify -- engines runs this' }

/** Options for the vault of a test, to keep its data in the engine of this run, separate from other tests. */
export function testStorage(t: Teardown): { readonly options: VaultOptions; readonly parts: VaultParts } {
  if (!postgres) return { options: {}, parts: {} }
  const schema = postgres.newSchema(t)
  return {
    // As in memory, the only tenants are those that the test creates.
    options: { storage: schema.url, masterKey: newMasterKey(), developmentTenant: false },
    parts: {
      openStore: async (location, options) => {
        await schema.create()
        return openStore(location, { ...options, migrate: true })
      },
    },
  }
}

/** Returns the storage URL of an empty database, for processes that share it. @throws in a run without PostgreSQL */
export async function openTestDatabase(t: Teardown): Promise<string> {
  if (!postgres) throw new Error('this run has no database: see onPostgresOnly')
  return postgres.openSchema(t)
}

/** Opens an empty store that several vaults of a test may share. It is closed when the test ends, not by them. */
export async function openTestStore(t: Teardown): Promise<OpenEngine> {
  if (!postgres) return new MemoryEngine()
  const store = await openStore(parseStorage(await openTestDatabase(t)), { migrate: true })
  t.teardown(() => store.close())
  return replacing(store, { close: async () => {} })
}
