import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0', '--ignore-scripts']
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
): Promise<string | false> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, ...manifest }))
  try {
    await runNpm(folder, ['install', ...flags, ...packages])
    return false
  } catch (error) {
    const reason = String((error as { stderr?: string }).stderr ?? error)
    if (offline.test(reason)) return 'the registry cannot be reached, so the runners cannot be installed'
    throw error
  }
}
