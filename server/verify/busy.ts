/**
 * `npm run verify -- busy [--rounds 5] [--loops 4]`: runs `npm test` beside endless loops, as often as given. A test that
 * depends on the load of the machine fails here.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { root } from './unit/tests.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, loops: { type: 'string', default: '4' } },
})
const loops = Array.from({ length: Number(values.loops) }, () =>
  spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
)
try {
  for (let round = 1; round <= Number(values.rounds) && !process.exitCode; round++) {
    process.stdout.write(`round ${round} beside ${loops.length} loops\n`)
    const [code] = await once(spawn('npm', ['test'], { cwd: root, stdio: 'inherit' }), 'close')
    process.exitCode = code ?? 1
  }
} finally {
  for (const loop of loops) loop.kill('SIGKILL')
}
