import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import type { Test } from 'tap'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Runs a test for Node's own runner that a document shows, as a reader would, and checks that it passes. Its types are
 * removed before that: Node 20 cannot do so, and a loader that can takes longer than most of these tests.
 */
export async function passesAsShown(t: Test, shown: string, more: NodeJS.ProcessEnv = {}): Promise<void> {
  // Inside the repository, where the packages are found by their names.
  const file = join(t.testdir(), 'shown.test.mjs')
  const { code } = await transform(shown, { loader: 'ts', target: 'es2022' })
  await writeFile(file, code)
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...environment } = process.env
  // Without `--test`, which would start a second process.
  const { stdout } = await promisify(execFile)(process.execPath, ['--test-reporter=tap', file], {
    cwd: root,
    env: { ...environment, ...more },
  })
  t.match(stdout, /^# pass 1$/m, stdout)
  t.match(stdout, /^# fail 0$/m)
}
