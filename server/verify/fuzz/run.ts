/**
 * `npm run verify -- fuzz [--count 20000] [--seed N]`: sends so many requests of each kind that are made from the contract.
 * Prints the seed, and with a failure the smallest request that fails.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runLong } from '../unit/run-tests.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
  },
})
process.stdout.write(`seed ${values.seed}\n`)
process.exitCode = await runLong(['server/verify/fuzz/fuzz.test.ts'], {
  SURROGATE_FUZZ_COUNT: values.count,
  SURROGATE_FUZZ_SEED: values.seed,
})
