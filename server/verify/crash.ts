/**
 * `npm run verify -- crash [--rounds 20 --of-two 10]`: kills a server on LevelDB while clients write, and one of two
 * servers on PostgreSQL, as often as given. After each kill exactly the acknowledged changes must be there.
 */
import { parseArgs } from 'node:util'
import { runLong } from './unit/run-tests.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, 'of-two': { type: 'string' } },
})
process.exitCode = await runLong(
  ['server/verify/system/crash.test.ts', 'server/verify/system/replicas.crash.test.ts'],
  {
    SURROGATE_CRASH_ROUNDS: values.rounds,
    SURROGATE_CRASH_ROUNDS_OF_TWO: values['of-two'],
  },
)
