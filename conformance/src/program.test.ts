import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { loader, locateProgram, startCommand } from '../../server/verify/support/process.ts'

const withFull = existsSync('/dev/full') ? {} : { skip: 'there is no /dev/full here' }

/** Runs the program with its standard output in a shell's redirection. */
function run(t: Test, args: readonly string[], redirection: string) {
  const program = [process.execPath, ...loader, fileURLToPath(locateProgram('conformance/src/program.ts'))]
  return startCommand(t, ['/bin/bash', '-c', `"$@" ${redirection}`, 'bash', ...program, ...args], {}).ended
}

t.test('a reader that stops is no fault, and a disk that is full is one sentence', withFull, async t => {
  for (const args of [['--help'], ['--list']]) {
    t.equal((await run(t, args, '| head -c 10')).stderr, '', 'nothing to say')
    const { code, stderr } = await run(t, args, '> /dev/full')
    t.same([code, stderr], [2, 'surrogate-conformance: standard output cannot be written (ENOSPC)\n'])
    t.match(await run(t, args, '| cat'), { code: 0, stderr: '', stdout: /\n/ }, 'control')
  }
})

t.test('where Node may not make code of texts, a run says so', async t => {
  const args = ['--base-url', 'http://127.0.0.1:9', '--private-key', 'a-private-key']
  const sentence = /^Node runs with --disallow-code-generation-from-strings, which validators need/
  const { code, stderr } = await startCommand(
    t,
    [
      ...[process.execPath, '--disallow-code-generation-from-strings', ...loader],
      ...[fileURLToPath(locateProgram('conformance/src/program.ts')), ...args],
    ],
    {},
  ).ended
  t.equal(code, 2)
  t.match(stderr, sentence)
})
