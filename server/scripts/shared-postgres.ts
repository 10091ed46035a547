import { type PostgresServer, startPostgres } from '../testing/postgres/server.ts'
import { PostgresUnavailable } from '../testing/postgres/unavailable.ts'
import { Dependencies } from './dependencies.ts'

/** One PostgreSQL server for all processes of a run. Without it, each would start its own. */
export interface SharedPostgres {
  /** Starts the server, if a test needs it. Resolves with the environment in which tests find it. */
  readonly start: () => Promise<NodeJS.ProcessEnv>
  readonly close: () => Promise<void>
}

export function sharedPostgres(tests: readonly string[]): SharedPostgres {
  let server: PostgresServer | undefined
  const start = async (): Promise<NodeJS.ProcessEnv> => {
    const dependencies = Dependencies.byImports()
    const isNeeded = tests.some(test => dependencies.of(test).has('server/testing/postgres.ts'))
    if (process.env.SURROGATE_TEST_POSTGRES || !isNeeded) return {}
    try {
      server = await startPostgres()
      return { SURROGATE_TEST_POSTGRES: server.url }
    } catch (error) {
      // The tests say why they are skipped.
      if (error instanceof PostgresUnavailable) return {}
      throw error
    }
  }
  return { start, close: async () => server?.close() }
}
