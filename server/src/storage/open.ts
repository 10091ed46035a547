import { mkdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { syncFolder } from '../base/durable-file.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { Losses } from './engines/level/files/repair-folder.ts'
import type { LevelStore } from './engines/level/level-store.ts'
import { MemoryStore } from './engines/memory/memory-store.ts'
import type { Store } from './port.ts'

export type { Losses } from './engines/level/files/repair-folder.ts'
export { DataFolderRefused } from './engines/level/refused.ts'
export { type ContentOf, countFaults, type Findings } from './engines/level/reindex/findings.ts'
export { DatabaseRefused } from './engines/postgres/refused.ts'

/** Where a store lives: `memory:`, `level:<folder>` or `postgres://…`. */
export type StorageLocation =
  | { readonly engine: 'memory' }
  | { readonly engine: 'level'; readonly folder: string }
  | { readonly engine: 'postgres'; readonly url: string }

/** A storage URL that names no engine there is. */
export class UnknownStorage extends OperatorError {
  override readonly name = 'UnknownStorage'
}

/** @throws {UnknownStorage} */
export function parseStorage(url: string): StorageLocation {
  if (url === 'memory:') return { engine: 'memory' }
  const folder = /^level:(.+)$/.exec(url)?.[1]
  if (folder !== undefined) return { engine: 'level', folder }
  if (/^postgres(ql)?:\/\//.test(url)) return { engine: 'postgres', url }
  throw new UnknownStorage('storage must be memory:, level:<folder> or postgres://…')
}

/**
 * Opens what is there, whatever the engine, and makes nothing; `folder` is where a data folder is.
 * @throws {UnknownStorage | DataFolderRefused | DatabaseRefused}
 */
export async function openExisting(
  url: string,
): Promise<{ readonly store: Store; readonly folder?: string }> {
  const location = parseStorage(url)
  if (location.engine === 'level') return openFolder(url)
  if (location.engine === 'postgres') return { store: await openStore(location) }
  throw new UnknownStorage('memory: ends with the process: this needs level:<folder> or postgres://…')
}

/** The same for what only data folders have. @throws {UnknownStorage | DataFolderRefused} */
export async function openFolder(
  url: string,
  options: { readonly forRepair?: boolean } = {},
): Promise<{ readonly store: LevelStore; readonly folder: string }> {
  const { folder, path } = await findFolder(url)
  return { store: await (await level()).open(path, options), folder }
}

/** Repairs a data folder whose files are damaged, as far as that goes. @throws {UnknownStorage | DataFolderRefused} */
export async function repairFolder(url: string): Promise<Losses> {
  return (await level()).repair((await findFolder(url)).path)
}

/** How many blocks of a data folder's files are damaged. Reads all of them. @throws {UnknownStorage} */
export async function countDamage(url: string): Promise<number> {
  const { countDamagedBlocks } = await import('./engines/level/files/repair-folder.ts')
  return countDamagedBlocks((await findFolder(url)).path)
}

async function findFolder(url: string): Promise<{ readonly folder: string; readonly path: string }> {
  const location = parseStorage(url)
  if (location.engine !== 'level') throw new UnknownStorage('this needs a store of the form level:<folder>')
  const { folder } = location
  const path = join(folder, 'store')
  const there = await stat(path).catch(() => undefined)
  if (!there?.isDirectory()) throw new UnknownStorage(`there is no data in ${folder}`)
  return { folder, path }
}

/** @param migrate makes or raises the schema of a database first @throws {DataFolderRefused | DatabaseRefused} */
export async function openStore(location: StorageLocation, migrate = false): Promise<Store> {
  if (location.engine === 'memory') return new MemoryStore()
  if (location.engine === 'postgres') return (await postgres()).open(location.url, { migrate })
  const path = join(location.folder, 'store')
  // Also where the folder is there already, as a volume is, and open to others.
  await mkdir(path, { recursive: true, mode: 0o700 })
  const store = await (await level()).open(path)
  // LevelDB syncs what is in its folder, not that the folder is there.
  for (const at of [location.folder, dirname(resolve(location.folder))]) await syncFolder(at)
  return store
}

/** @throws {UnknownStorage | DatabaseRefused} */
export async function migrateStore(url: string): Promise<{ readonly from: number; readonly to: number }> {
  const location = parseStorage(url)
  if (location.engine === 'postgres') return (await postgres()).migrate(location.url)
  throw new UnknownStorage('only databases have a schema to migrate: --storage postgres://…')
}

// Engines are loaded by those who use them: what nobody needs would only make every start longer.

async function level() {
  const { LevelStore } = await import('./engines/level/level-store.ts')
  return LevelStore
}

async function postgres() {
  const { PostgresStore } = await import('./engines/postgres/postgres-store.ts')
  return PostgresStore
}
