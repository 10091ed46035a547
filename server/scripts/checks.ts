import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Task } from './run-tasks.ts'

const { resolve } = createRequire(import.meta.url)
const own = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const preload = `--import=${new URL('report-usage.mjs', import.meta.url).href}`

/** The checks of `npm test` other than tests; the slowest first. `npm run lint` and `npm run types` run them alone. */
export const checks: readonly Task[] = [
  // What it found out last time makes it take a quarter of the time.
  {
    name: 'types',
    argv: [
      preload,
      own('../../node_modules/typescript-7/bin/tsc'),
      // Several threads check the same files several times, while the tests need the processors.
      '--singleThreaded',
      '--incremental',
      '--tsBuildInfoFile',
      own('../../node_modules/.cache/surrogate/types.tsbuildinfo'),
    ],
  },
  { name: 'lint', argv: [preload, resolve('@biomejs/biome/bin/biome'), 'check', '.'] },
  { name: 'lint of the contract', argv: [preload, own('lint-contract.mjs')] },
]
