import { statfsSync } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { syncFolder } from '../base/durable-file.ts'
import type { Turns } from '../base/flow/turns.ts'
import type { Log } from '../base/log.ts'
import type { LevelEngine } from './engines/level/level-engine.ts'
import { MemoryEngine } from './engines/memory/memory-engine.ts'
import type { Migrated } from './engines/postgres/database-errors.ts'
import { lastingUrls, parseStorage, type StorageLocation, UnknownStorage } from './location.ts'
import type { Engine, OpenEngine } from './port/port.ts'

export { DataFolderRefused } from './engines/level/data-folder-errors.ts'
export type { ContentOf } from './engines/level/reindex.ts'
export { DatabaseRefused, NoSchema } from './engines/postgres/database-errors.ts'
export {
  isSameStore,
  lastingUrls,
  nameOfStore,
  parseStorage,
  type StorageLocation,
  UnknownStorage,
} from './location.ts'

/**
 * Opens an existing store. Returns the folder too, if it has one.
 * @param isAlone no server may use it meanwhile
 * @throws {UnknownStorage | DataFolderRefused | DatabaseRefused}
 */
export async function openExisting(
  url: string,
  isAlone = true,
): Promise<{ readonly store: Engine; readonly folder?: string }> {
  const location = parseStorage(url)
  if (location.engine === 'level') return openFolder(url)
  if (location.engine === 'postgres')
    return { store: await openStore(location, { isCommand: true, isAlone }) }
  throw holdsNothing()
}

const holdsNothing = () =>
  new UnknownStorage(`memory: holds no data after the process ends; use ${lastingUrls}`)

/** A store as it was at one moment. It can only be read. */
interface FrozenStore {
  readonly store: Engine
  /** The data folder, if it has one. */
  readonly folder?: string
  close(): Promise<void>
}

/**
 * Opens an existing store in the state that it has now. Servers may go on writing to it.
 * @throws {UnknownStorage | DataFolderRefused | DatabaseRefused}
 */
export async function openFrozen(url: string): Promise<FrozenStore> {
  const location = parseStorage(url)
  if (location.engine === 'postgres') {
    const store = await (await postgres()).open(location.url, { frozen: true })
    return { store, close: () => store.close() }
  }
  if (location.engine === 'memory') throw holdsNothing()
  const { folder, path } = await findFolder(url)
  const { freezeFolder, removeLeftovers } = await import('./engines/level/freeze.ts')
  await removeLeftovers(folder)
  const frozen = await freezeFolder(path, folder)
  const remove = () => rm(frozen, { recursive: true, force: true })
  try {
    const store = await (await level()).open(frozen, { isCommand: true })
    return { store, folder, close: () => store.close().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

/**
 * Opens an existing data folder.
 * @param isReindexed its index is built anew: a damaged folder is repaired first, as far as possible
 * @throws {UnknownStorage | DataFolderRefused}
 */
export async function openFolder(
  url: string,
  isReindexed = false,
): Promise<{ readonly store: LevelEngine; readonly folder: string }> {
  const { folder, path } = await findFolder(url)
  return { store: await (await level()).open(path, { isCommand: true, isReindexed }), folder }
}

async function findFolder(url: string): Promise<{ readonly folder: string; readonly path: string }> {
  const location = parseStorage(url)
  const { folder } = location
  if (folder === undefined) throw new UnknownStorage('this needs --storage level:<folder>')
  const path = join(folder, 'store')
  const found = await stat(path).catch(() => undefined)
  if (!found?.isDirectory()) throw new UnknownStorage(`there is no data in ${folder}`)
  return { folder, path }
}

/** Returns the bytes of the disk that a folder is on: those that are free for this user, and all. */
export function diskOf(folder: string): { readonly free: number; readonly size: number } {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

export interface OpenOptions {
  /** Creates or upgrades the schema of a database first. */
  readonly migrate?: boolean | undefined
  /** For failures in the background. */
  readonly log?: Log
  /** Those that searches take with other work on the event loop. */
  readonly turns?: Turns
  /** True if a command goes through all of it, or fills it, and closes it. */
  readonly isCommand?: boolean
  /** True if no other process may use it meanwhile. */
  readonly isAlone?: boolean
}

/** A command may change all of a store in one commit. */
const commandMs = 65_000

/** @throws {DataFolderRefused | DatabaseRefused} */
export async function openStore(
  location: StorageLocation,
  { migrate = false, log, turns, isCommand = false, isAlone = false }: OpenOptions = {},
): Promise<OpenEngine> {
  if (location.engine === 'memory') return new MemoryEngine()
  if (location.engine === 'postgres')
    return (await postgres()).open(location.url, {
      ...{ migrate, use: isAlone ? 'alone' : 'shared', ...(log ? { log } : {}), turns },
      ...(isCommand ? { answerMs: commandMs } : {}),
    })
  const folder = location.folder as string
  const path = join(folder, 'store')
  // Its own mode, as the data folder may exist already, as a mounted volume does, and be open to others.
  await makeFolder(path)
  const store = await (await level()).open(path, { isCommand, turns })
  // LevelDB syncs the contents of its folder, but not the entries of the folders above.
  for (const at of [folder, dirname(resolve(folder))]) await syncFolder(at)
  return store
}

/**
 * Makes a folder, and those above it. Node's own way to do that does not end where a file system says of what it cannot
 * make that it does not exist, as `/proc` does.
 */
async function makeFolder(path: string): Promise<void> {
  const missing: string[] = []
  for (let at = resolve(path); !(await isFolder(at)); at = dirname(at)) missing.unshift(at)
  for (const at of missing) {
    await mkdir(at, { mode: 0o700 }).catch(async error => {
      // Another process may have made it meanwhile.
      if (error.code !== 'EEXIST' || !(await isFolder(at))) throw error
    })
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(error => {
    if (error.code !== 'ENOENT') throw error
  })
  if (found && !found.isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR', path })
  return found !== undefined
}

/** @param planned changes nothing, and returns what would be done @throws {UnknownStorage | DatabaseRefused} */
export async function migrateStore(url: string, planned = false): Promise<Migrated> {
  const location = parseStorage(url)
  if (location.engine === 'postgres') {
    const { migrate, planMigration } = await import('./engines/postgres/schema.ts')
    return planned ? planMigration(location.url) : migrate(location.url)
  }
  throw new UnknownStorage('only databases have a schema to migrate: --storage postgres://…')
}

// An engine is loaded when it is used, as loading the others would make each start slower.

async function level() {
  const { LevelEngine } = await import('./engines/level/level-engine.ts')
  return LevelEngine
}

async function postgres() {
  const { PostgresEngine } = await import('./engines/postgres/postgres-engine.ts')
  return PostgresEngine
}
