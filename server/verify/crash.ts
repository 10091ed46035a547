/**
 * `npm run verify -- crash [--rounds 10]`: kills one of two servers on PostgreSQL while clients write and invoke
 * reactors. After each kill exactly the acknowledged changes must be there, and every accepted job be delivered.
 */
import { parseArgs } from 'node:util'
import { runLong } from './unit/run-tests.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } })
process.exitCode = await runLong(['server/verify/system/replicas.crash.test.ts'], {
  SURROGATE_CRASH_ROUNDS: values.rounds,
})
