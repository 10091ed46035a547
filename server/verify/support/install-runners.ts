import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0']
const offline = /ENOTCACHED|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/

/** Ends a runner that hangs. Far longer than any takes on a busy machine. */
export const timeout = 300_000

/** Runs npm in a folder. */
export const runNpm = (cwd: string, args: readonly string[]) =>
  promisify(execFile)(npm, [...args], { cwd, timeout })

/** Installs packages for tests alone into an empty folder. Returns why they cannot be installed, if it is for lack of a network. */
export async function installRunners(
  folder: string,
  packages: readonly string[],
  manifest: object = {},
  scripts: readonly string[] = ['--ignore-scripts'],
): Promise<string | false> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, ...manifest }))
  try {
    await runNpm(folder, ['install', ...flags, ...scripts, ...packages])
    return false
  } catch (error) {
    const reason = String((error as { stderr?: string }).stderr ?? error)
    if (offline.test(reason)) return 'the registry cannot be reached, so the runners cannot be installed'
    throw error
  }
}

/**
 * Installs in the first test of a file, and returns a function that defines the others: they are skipped, with the reason, if
 * there is no network. A file that waits for a test before it defines the others looks to tap like one that is done.
 */
export function afterInstalling(install: () => Promise<string | false>) {
  let missing: string | false = false
  t.test('what the tests need is installed', async () => {
    missing = await install()
  })
  return (name: string, body: (t: Test) => Promise<unknown>, options: { skip?: string } = {}) =>
    t.test(name, options, async t => void (missing ? t.pass('not tried', { skip: missing }) : await body(t)))
}
