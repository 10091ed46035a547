/**
 * `npm run unit [-- FLAG… PATH…]`: compiles the tests, all or those in files and folders, and runs them by tap, which
 * gets the flags. `--ci` adds the tests that only CI runs.
 */
import { findTests, testsOf, whyOnlyInCi } from './compile-tests.ts'
import { runTests } from './run-tests.ts'

const words = process.argv.slice(2)
const paths = words.filter(word => !word.startsWith('-'))
const isWhole = paths.length === 0
const isCi = words.includes('--ci')
const all = isWhole ? findTests() : testsOf(paths)
const left = isWhole && !isCi ? all.filter(whyOnlyInCi) : []
const tests = all.filter(test => !left.includes(test))
process.exitCode = await runTests({
  tests,
  isWhole,
  flags: words.filter(word => word.startsWith('-') && word !== '--ci'),
  ...(isCi ? { env: { SURROGATE_TEST_CI: '1' } } : {}),
})
for (const test of left) process.stdout.write(`left to CI: ${test} (${whyOnlyInCi(test)})\n`)
