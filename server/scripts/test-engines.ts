/**
 * `npm run test:engines [-- FLAG… FILE…]`: starts PostgreSQL and runs on it the tests of its engine, and all that do not
 * care where a vault keeps its data. Where it cannot be started this says why; with `CI` set that is a failure.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../testing/postgres/server.ts'
import { PostgresUnavailable } from '../testing/postgres/unavailable.ts'
import { compileTests } from './compile-tests.ts'
import { tap } from './tap.ts'
import { findTests, groupTests, readWords } from './test-files.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A test that imports one of these, directly or not, runs on the engine that the run chooses, or needs this one. */
const marks = ['storage.ts', 'postgres.ts'].map(name => join(root, 'server/testing', name))

const leftOut: Readonly<Record<string, string>> = {
  'server/src/commands/reindex.test.ts': 'of LevelDB folders only',
  'server/src/commands/rotate-master-key.test.ts': 'opens LevelDB folders',
  'server/src/http/outside/docs.browser.test.ts': 'opens pages, keeps nothing',
  'server/src/sandbox/run-formula.test.ts': 'runs formulas without a server',
  'sdk/examples/browser/browser.test.ts': 'what a browser may do, on whatever engine',
}

/** The tests that look different on another engine, from the root of the repository. */
function filesToRun(): string[] {
  return findTests()
    .filter(path => path.includes('/engines/postgres/') || isMarked(join(root, path)))
    .filter(path => !(path in leftOut))
}

function isMarked(path: string, seen = new Set<string>()): boolean {
  if (marks.includes(path)) return true
  if (seen.has(path) || !path.endsWith('.ts') || !existsSync(path)) return false
  seen.add(path)
  const specifiers = readFileSync(path, 'utf8').matchAll(/\bfrom '(\.[^']+)'|\bimport\('(\.[^']+)'\)/g)
  return [...specifiers].some(([, one, other]) => isMarked(resolve(dirname(path), one ?? other ?? ''), seen))
}

const { flags, tests, isWhole } = readWords(process.argv.slice(2), filesToRun())
try {
  const { SURROGATE_TEST_POSTGRES: elsewhere } = process.env
  const server = elsewhere ? undefined : await startPostgres()
  // A database takes longer than memory does.
  const code = await tap(
    ['--timeout=600', ...flags, ...(await compileTests(groupTests(tests), isWhole ? 'engines' : 'part'))],
    {
      SURROGATE_TEST_STORAGE: 'postgres',
      SURROGATE_TEST_POSTGRES: elsewhere ?? server?.url,
    },
  )
  await server?.close()
  process.stdout.write(`\n${tests.length} files were run on PostgreSQL\n`)
  for (const [path, why] of isWhole ? Object.entries(leftOut) : [])
    process.stdout.write(`left out: ${path} (${why})\n`)
  process.exitCode = code
} catch (error) {
  if (!(error instanceof PostgresUnavailable)) throw error
  process.stdout.write(`skipped: there is no PostgreSQL here: ${error.message}\n`)
  process.exitCode = process.env.CI ? 1 : 0
}
