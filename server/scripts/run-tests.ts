/**
 * `npm run unit [-- FLAG… FILE…]`: compiles the tests, all or those chosen, and runs them. `npm test` is the same, with
 * the linters and the type check beside them.
 */
import { changedFiles, testsOfChanges } from './changed-tests.ts'
import { checks } from './checks.ts'
import { sharedPostgres } from './shared-postgres.ts'
import { findTests, testsOf, whyOnlyInCi } from './test-files.ts'
import { readTestOptions } from './test-options.ts'
import { runTests } from './test-run.ts'

const options = readTestOptions(process.argv.slice(2), process.env)
const isWhole = options.paths.length === 0
let tests = isWhole ? findTests() : testsOf(options.paths)
const leftToCi = isWhole && !options.changed && !options.ci ? tests.filter(whyOnlyInCi) : []
tests = tests.filter(test => !leftToCi.includes(test))
if (options.changed) {
  const changed = changedFiles(options.base)
  const found = testsOfChanges(tests, changed)
  tests = [...found.tests, ...(options.servers ? found.farther : [])]
  process.stdout.write(`${changed.length} files changed, ${tests.length} test files are run\n`)
  if (!options.servers && found.farther.length > 0)
    process.stdout.write(`${found.farther.length} more use a whole server: --servers runs them, too\n`)
}
const postgres = sharedPostgres(tests)
try {
  process.exitCode = await runTests({
    tests,
    name: isWhole && !options.changed ? 'unit' : 'part',
    options,
    checks: options.withChecks ? checks : [],
    env: postgres.start,
  })
  for (const test of leftToCi) process.stdout.write(`# left to CI: ${test} (${whyOnlyInCi(test)})\n`)
} finally {
  await postgres.close()
}
