/**
 * `npm run verify -- history [--minutes 10] [--seed S] [--on level|postgres]`: clients work while servers are killed,
 * stopped and cut off, and what each of them saw is judged. Half of the time goes to one server on LevelDB, half to two
 * on PostgreSQL. The seed is printed; it repeats the requests and faults, though not their timing.
 */
import { parseArgs } from 'node:util'
import { runLong } from './unit/run-tests.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    on: { type: 'string' },
  },
})
const { minutes, seed, on } = values
const parts = on === undefined ? 2 : 1
process.exitCode = await runLong(
  ['server/verify/system/history/history.test.ts'],
  {
    SURROGATE_HISTORY_SECONDS: String((Number(minutes) * 60) / parts),
    SURROGATE_HISTORY_SEED: seed,
  },
  on === undefined ? [] : [`--grep=${on === 'level' ? '/LevelDB/' : '/PostgreSQL/'}`],
)
