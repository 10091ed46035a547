import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { endWithThisProcess } from '../processes.ts'

/** The common API of `node:sqlite` and better-sqlite3, as far as needed. */
export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
}

export interface Statement {
  all(...values: (string | number)[]): unknown[]
  get(...values: (string | number)[]): unknown
  run(...values: (string | number)[]): unknown
}

const packageName = 'better-sqlite3@12.11.1'

/** Finds SQLite for `openDatabase`, which Node has from version 22 on. Resolves with the reason if there is none. */
export async function findSqlite(folder: string): Promise<{ from: string } | string> {
  if (process.getBuiltinModule('node:sqlite')) return { from: 'node:sqlite' }
  const path = join(folder, 'node_modules/better-sqlite3')
  if (existsSync(path)) return { from: path }
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  const options = ['--no-audit', '--no-fund', '--loglevel=error']
  const npm = endWithThisProcess(
    spawn('npm', ['install', ...options, packageName], { cwd: folder, stdio: 'ignore' }),
  )
  const [code] = (await once(npm, 'close')) as [number]
  return code === 0 ? { from: path } : `npm cannot install ${packageName}`
}

export function openDatabase(from: string, file: string): Database {
  const load = createRequire(import.meta.url)
  if (from !== 'node:sqlite') return new (load(from))(file)
  const { DatabaseSync } = load('node:sqlite')
  return new DatabaseSync(file)
}
