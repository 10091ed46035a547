/** `npm run unit [-- FLAG… FILE…]`: compiles the tests, all or those named, and runs them with these flags of tap. */
import { compileTests } from './compile-tests.ts'
import { tap } from './tap.ts'
import { findTests, groupTests, readWords } from './test-files.ts'

const { flags, tests, isWhole } = readWords(process.argv.slice(2), findTests())
process.exitCode = await tap([
  ...flags,
  ...(await compileTests(groupTests(tests), isWhole ? 'unit' : 'part')),
])
