import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import type { Test } from 'tap'

const root = fileURLToPath(new URL('../../..', import.meta.url))

interface Shown {
  readonly environment?: NodeJS.ProcessEnv
  /** The working directory, inside the repository, where the packages are found by their names. Default: its root. */
  readonly cwd?: string
}

/**
 * Runs a program that a document shows, as a reader would, and returns what it prints. Its types are removed before that:
 * Node 20 cannot do so, and a loader that can takes longer than most of these programs.
 */
export async function runShown(
  t: Test,
  shown: string,
  flags: readonly string[],
  { environment = {}, cwd }: Shown = {},
): Promise<string> {
  const file = join(cwd ?? t.testdir(), 'shown.test.mjs')
  const { code } = await transform(shown, { loader: 'ts', target: 'es2022' })
  await writeFile(file, code)
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...own } = process.env
  const options = { cwd: cwd ?? root, env: { ...own, ...environment } }
  return (await promisify(execFile)(process.execPath, [...flags, file], options)).stdout
}

/** Runs a test for Node's own runner that a document shows, and checks that it passes. */
export async function passesAsShown(
  t: Test,
  shown: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<void> {
  // Without `--test`, which would start a second process.
  const stdout = await runShown(t, shown, ['--test-reporter=tap'], { environment })
  t.match(stdout, /^# pass [1-9]$/m, stdout)
  t.match(stdout, /^# fail 0$/m)
}
