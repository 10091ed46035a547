/**
 * `npm run verify -- engines [FLAG… FILE…]`: starts PostgreSQL and runs on it the tests of its engine, and all that do not
 * care where a vault keeps its data. Where it cannot be started this says why; with `CI` set that is a failure.
 */

import { Dependencies } from '../scripts/build/dependencies.ts'
import { startPostgres } from './support/postgres/server.ts'
import { PostgresUnavailable } from './support/postgres/unavailable.ts'
import { findTests, testsOf } from './unit/compile-tests.ts'
import { runTests } from './unit/run-tests.ts'

/** A test that imports one of these, directly or not, runs on the engine that the run chooses, or needs this one. */
const marks = ['server/verify/support/storage.ts', 'server/verify/support/postgres.ts']

const leftOut: Readonly<Record<string, string>> = {
  'server/src/program/commands/reindex.test.ts': 'of LevelDB folders only',
  'server/src/program/commands/rotate-master-key.test.ts': 'opens LevelDB folders',
  'server/src/http/outside/docs.browser.test.ts': 'opens pages, keeps nothing',
  'server/src/run-formula.test.ts': 'runs formulas without a server',
  'sdk/examples/browser/browser.test.ts': 'what a browser may do, on whatever engine',
}

/** The tests that look different on another engine, from the root of the repository. */
function filesToRun(): string[] {
  const dependencies = new Dependencies()
  const isMarked = (path: string) => marks.some(mark => dependencies.of(path).has(mark))
  return findTests()
    .filter(path => path.includes('/engines/postgres/') || isMarked(path))
    .filter(path => !(path in leftOut))
}

const words = process.argv.slice(2)
const paths = words.filter(word => !word.startsWith('-'))
const isWhole = paths.length === 0
try {
  const { SURROGATE_TEST_POSTGRES: elsewhere } = process.env
  const server = elsewhere ? undefined : await startPostgres()
  const tests = isWhole ? filesToRun() : testsOf(paths)
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
  for (const [path, why] of isWhole ? Object.entries(leftOut) : [])
    process.stdout.write(`left out: ${path} (${why})\n`)
} catch (error) {
  if (!(error instanceof PostgresUnavailable)) throw error
  process.stdout.write(`skipped: there is no PostgreSQL here: ${error.message}\n`)
  process.exitCode = process.env.CI ? 1 : 0
}
