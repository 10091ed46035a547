import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { unprivilegedAccount } from './postgres/account.ts'
import { findPostgres } from './postgres/binaries.ts'
import { startPostgres } from './postgres/server.ts'
import { PostgresUnavailable } from './postgres/unavailable.ts'

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

/** For a run that another one follows which brings PostgreSQL to all of them. */
const leftOut: Missing = { skip: 'SURROGATE_TEST_POSTGRES is none: npm run test:engines runs it' }

/** The server all tests of a file share: the one that is named, or one of the file's own. */
const shared = named === 'none' ? leftOut : named ? { url: named } : await orMissing(startPostgres)

/** For the options of a test that needs PostgreSQL: why it is left out, if it has to be. */
export const withPostgres: Partial<Missing> = 'skip' in shared ? { skip: shared.skip } : {}

/** The same for a test that stops and starts one, and so needs it to be its own: a named server is none. */
export const withOwnPostgres: Partial<Missing> =
  named && named !== 'none'
    ? await orMissing(async () => {
        await findPostgres(await unprivilegedAccount())
        return {}
      })
    : withPostgres

let pool: pg.Pool | undefined

/** For what a test looks at in the shared database itself. @throws where there is none: see `withPostgres` */
export function database(): pg.Pool {
  if ('skip' in shared) throw new Error(shared.skip)
  pool ??= new pg.Pool({ connectionString: shared.url, max: 2, allowExitOnIdle: true })
  return pool
}

/** Where a schema of the shared database will be: it is in the URL's search path. */
export interface Schema {
  readonly name: string
  readonly url: string
  /** Makes it, empty. */
  create(): Promise<void>
}

/** A name for a schema nobody has; whatever stands under it is dropped when the test ends. */
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

/** An empty schema for one test. @returns the URL of a store in it, `postgres://…?options=-c%20search_path%3D…` */
export async function openSchema(t: { teardown(task: () => unknown): void }): Promise<string> {
  const schema = newSchema(t)
  await schema.create()
  return schema.url
}

/** The same database, in which unqualified names mean a schema's. */
export function inSchema(url: string, schema: string): string {
  const located = new URL(url)
  located.searchParams.delete('options')
  // Not by `searchParams`: it would write the blank as a plus sign, which not all who read such a URL take for one.
  const rest = located.searchParams.toString()
  located.search = `${rest && `${rest}&`}options=-c%20search_path%3D${schema}`
  return located.href
}
