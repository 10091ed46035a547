import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { findPostgres, PostgresUnavailable, unprivilegedAccount } from './postgres/binaries.ts'
import { startPostgres } from './postgres/server.ts'

export { type PostgresOptions, type PostgresServer, startPostgres } from './postgres/server.ts'

interface Missing {
  readonly skip: string
}

async function orMissing<T>(attempt: () => Promise<T>): Promise<T | Missing> {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof PostgresUnavailable) return { skip: `no PostgreSQL here: ${error.message}` }
    throw error
  }
}

const { SURROGATE_TEST_POSTGRES: named } = process.env

/** For a run that leaves these tests to another run. */
const leftOut: Missing = { skip: 'SURROGATE_TEST_POSTGRES is none: npm run verify -- engines runs it' }

/** The server that all tests of a file share: the one in the environment, or one of the file's own. */
const shared = named === 'none' ? leftOut : named ? { url: named } : await orMissing(startPostgres)

/** Options of a test that needs PostgreSQL: the reason to skip it, if there is no server. */
export const withPostgres: Partial<Missing> = 'skip' in shared ? { skip: shared.skip } : {}

/** Options of a test that stops and starts its own server, as it cannot use the one in the environment. */
export const withOwnPostgres: Partial<Missing> =
  named && named !== 'none'
    ? await orMissing(async () => {
        await findPostgres(await unprivilegedAccount())
        return {}
      })
    : withPostgres

let pool: pg.Pool | undefined

/** Connections for tests that look into the shared database itself. @throws without one: see `withPostgres` */
export function database(): pg.Pool {
  if ('skip' in shared) throw new Error(shared.skip)
  pool ??= new pg.Pool({ connectionString: shared.url, max: 2, allowExitOnIdle: true })
  return pool
}

/** A schema of the shared database. */
export interface Schema {
  readonly name: string
  /** Has the schema as its search path. */
  readonly url: string
  /** Creates it, empty. */
  create(): Promise<void>
}

/** Returns a schema with a new name, which is dropped when the test ends. */
export function newSchema(t: { teardown(task: () => unknown): void }): Schema {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  t.teardown(() => database().query(`drop schema if exists ${name} cascade`))
  return {
    name,
    url: 'url' in shared ? inSchema(shared.url, name) : '',
    create: async () => {
      await database().query(`create schema ${name}`)
    },
  }
}

/** Creates an empty schema for a test. @returns its URL, `postgres://…?options=-c%20search_path%3D…` */
export async function openSchema(t: { teardown(task: () => unknown): void }): Promise<string> {
  const schema = newSchema(t)
  await schema.create()
  return schema.url
}

/** Another node of the database, `host:port`, where it has several. */
const { SURROGATE_TEST_ENTRY: other } = process.env

/** Returns the URL for another process on the same data, which enters by another node where there is one. */
export function otherEntry(url: string): string {
  return other === undefined ? url : Object.assign(new URL(url), { host: other }).href
}

/** Sets the search path of a database URL. */
export function inSchema(url: string, schema: string): string {
  const located = new URL(url)
  located.searchParams.delete('options')
  // Not with `searchParams`, which writes a space as a plus sign that not all clients decode.
  const rest = located.searchParams.toString()
  located.search = `${rest && `${rest}&`}options=-c%20search_path%3D${schema}`
  return located.href
}
