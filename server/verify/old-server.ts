import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const schema = 'server/src/storage/engines/postgres/migrations.ts'

const git = async (...args: readonly string[]) =>
  (await execute('git', [...args], { cwd: root })).stdout.trim()

/**
 * Returns the commit of the last release. Without a release this is the commit before the newest change of the schema's
 * steps.
 */
export async function lastRelease(): Promise<string> {
  const tag = await git('describe', '--tags', '--abbrev=0', '--match', 'v*').catch(() => undefined)
  if (tag !== undefined) return git('rev-parse', `${tag}^{commit}`)
  return git('rev-parse', `${await git('log', '-1', '--format=%H', '--', schema)}^`)
}

/**
 * Builds the server and the suite of a commit, packs them, and installs the packages like a user. What was built for a
 * commit is kept. Resolves with the folder that has `node_modules`.
 */
export async function installServerOf(commit: string): Promise<string> {
  const kept = join(root, '.compiled', 'servers')
  const installed = join(kept, commit)
  if (existsSync(installed)) return installed
  const work = join(kept, `${commit}.part`)
  const [source, packed, target] = ['source', 'packed', 'installed'].map(name => join(work, name)) as [
    string,
    string,
    string,
  ]
  await rm(work, { recursive: true, force: true })
  for (const folder of [source, packed, target]) await mkdir(folder, { recursive: true })
  const archive = spawn('git', ['archive', commit], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const extract = spawn('tar', ['-x', '-C', source], { stdio: [archive.stdout, 'inherit', 'inherit'] })
  const [code] = await once(extract, 'exit')
  if (code !== 0) throw new Error(`the sources of ${commit} cannot be read`)
  const npm = (folder: string, ...args: readonly string[]) =>
    execute('npm', [...args, '--prefer-offline', '--no-audit', '--no-fund'], {
      cwd: folder,
      maxBuffer: 100_000_000,
    })
  // Generates and builds, too.
  await npm(source, 'ci')
  await npm(source, 'pack', '-w', 'server', '-w', 'conformance', '--pack-destination', packed)
  const packages = (await readdir(packed)).map(name => join(packed, name))
  await npm(target, 'init', '-y')
  await npm(target, 'install', ...packages)
  await rename(target, installed)
  await rm(work, { recursive: true, force: true })
  return installed
}
