import { realpath } from 'node:fs/promises'
import { databaseName } from '../base/database-name.ts'
import { OperatorError } from '../base/operator-error.ts'

/** The URLs of stores, for messages. */
export const lastingUrls = 'level:<folder> or postgres://…'
export const storageUrls = `memory:, ${lastingUrls}`
/** The store of a server that is given none. */
export const usualStorage = 'level:./data'

/** Where the data are. Only `open.ts` asks which engine that is. */
export interface StorageLocation {
  readonly url: string
  readonly engine: 'memory' | 'level' | 'postgres'
  /** The data folder, if it has one. */
  readonly folder?: string
  /** False if the data end with the process. */
  readonly isLasting: boolean
  /** True if several servers may use it at the same time. */
  readonly isShared: boolean
}

/** Thrown for a storage URL that names no engine, or not one that can do the task. */
export class UnknownStorage extends OperatorError {
  override readonly name = 'UnknownStorage'
}

/** @throws {UnknownStorage} */
export function parseStorage(url: string): StorageLocation {
  if (url === 'memory:') return { url, engine: 'memory', isLasting: false, isShared: false }
  const folder = /^level:(.+)$/.exec(url)?.[1]
  if (folder !== undefined) refuseUnexpanded(folder)
  if (folder !== undefined) return { url, engine: 'level', folder, isLasting: true, isShared: false }
  if (/^postgres(ql)?:\/\//.test(url)) return { url, engine: 'postgres', isLasting: true, isShared: true }
  throw new UnknownStorage(`storage must be ${storageUrls}`)
}

/** Refuses what would make a folder that nobody meant. @throws {UnknownStorage} */
function refuseUnexpanded(folder: string): void {
  if (/^~/.test(folder)) {
    throw new UnknownStorage(
      'level: takes ~ as the name of a folder, as no shell expands it there; use level:$HOME/… or the whole path',
    )
  }
  // One letter is a drive of Windows.
  if (/^([a-z][a-z\d+.-]+:|\/\/[^/])/i.test(folder)) {
    throw new UnknownStorage('level: takes a path and not a URL; use level:/path/of/folder or level:./folder')
  }
}

/** Names a store for messages, without secrets. */
export function nameOfStore({ url, folder }: Pick<StorageLocation, 'url' | 'folder'>): string {
  if (folder !== undefined) return `the folder ${folder}`
  if (!URL.canParse(url) || url === 'memory:') return 'memory'
  return databaseName(url)
}

/** True if both are the same place. Two URLs of one database may differ by more than settings of the connection. */
export async function isSameStore(one: StorageLocation, other: StorageLocation): Promise<boolean> {
  if (one.folder === undefined || other.folder === undefined) return placeOf(one.url) === placeOf(other.url)
  const real = async (folder: string) => realpath(folder).catch(() => undefined)
  const folder = await real(one.folder)
  return folder !== undefined && folder === (await real(other.folder))
}

/** The parts of a URL that say which database it is, and which schema of it. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return url
  const { protocol, hostname, port, pathname, searchParams } = new URL(url)
  return [
    protocol,
    hostname,
    port || '5432',
    pathname,
    searchParams.get('host'),
    searchParams.get('options'),
  ].join(' ')
}
