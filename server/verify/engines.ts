/**
 * `npm run verify -- engines [FLAG… FILE…]`: starts PostgreSQL and runs on it the cases of the storage port, tests
 * of what engines do differently, and the conformance suite against two servers on one database. Where it cannot be
 * started this says why; with `CI` set that is a failure.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PostgresUnavailable } from './support/postgres/binaries.ts'
import { startPostgres } from './support/postgres/server.ts'
import { runTests } from './unit/run-tests.ts'
import { findTests, layerOf, root, testsOf } from './unit/tests.ts'

/** Tests that name one of these run on the engine that the run chooses, or need PostgreSQL. */
const marks = /\b(enginesToTry|onPostgresOnly|openTestDatabase)\b|support\/postgres\.ts'/

const filesToRun = () =>
  findTests()
    .filter(test => test.includes('/engines/postgres/') || marks.test(readFileSync(join(root, test), 'utf8')))
    .filter(test => layerOf(test) !== 'nightly')

const words = process.argv.slice(2)
const paths = words.filter(word => !word.startsWith('-'))
try {
  const { SURROGATE_TEST_POSTGRES: elsewhere } = process.env
  const server = elsewhere ? undefined : await startPostgres()
  const tests = paths.length === 0 ? filesToRun() : testsOf(paths)
  process.exitCode = await runTests({
    tests,
    flags: words.filter(word => word.startsWith('-')),
    env: {
      SURROGATE_TEST_STORAGE: 'postgres',
      SURROGATE_TEST_POSTGRES: elsewhere ?? server?.url,
    },
  })
  await server?.close()
  process.stdout.write(`\n${tests.length} files were run on PostgreSQL\n`)
} catch (error) {
  if (!(error instanceof PostgresUnavailable)) throw error
  process.stdout.write(`skipped: there is no PostgreSQL here: ${error.message}\n`)
  process.exitCode = process.env.CI ? 1 : 0
}
