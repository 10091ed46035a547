/**
 * `npm run verify -- citus [FLAG… FILE…]`: runs the tests of the database on a cluster of Citus: the cases of the port,
 * histories, migrations, the conformance suite and faults. `SURROGATE_TEST_CITUS` is the URL of its coordinator, for a
 * superuser. Without it a cluster of three nodes is made of an installed PostgreSQL that has the extension; without
 * that, the tests are skipped with a message.
 */
import { nodesOf, startCitus } from './support/citus.ts'
import { PostgresUnavailable } from './support/postgres/binaries.ts'
import { runTests } from './unit/run-tests.ts'
import { testsOf } from './unit/tests.ts'

const usual = [
  'server/src/storage/engines/postgres/citus.migrate.test.ts',
  'server/src/storage/engines/engines.test.ts',
  'server/verify/system/citus.test.ts',
  'server/verify/system/citus.due.test.ts',
  'server/verify/system/replicas.test.ts',
  'conformance/replicas.test.ts',
]

const words = process.argv.slice(2)
const paths = words.filter(word => !word.startsWith('-'))
try {
  const { SURROGATE_TEST_CITUS: given } = process.env
  const cluster = given === undefined ? await startCitus() : undefined
  const url = given ?? cluster?.coordinator.url ?? ''
  const [, worker = url] = await nodesOf(url)
  process.exitCode = await runTests({
    tests: testsOf(paths.length > 0 ? paths : usual),
    flags: words.filter(word => word.startsWith('-')),
    env: {
      SURROGATE_TEST_STORAGE: 'postgres',
      SURROGATE_TEST_POSTGRES: url,
      SURROGATE_TEST_CITUS: url,
      SURROGATE_TEST_ENTRY: new URL(worker).host,
    },
  })
  await cluster?.close()
} catch (error) {
  if (!(error instanceof PostgresUnavailable)) throw error
  process.stdout.write(`skipped: there is no Citus here: ${error.message}\n`)
}
