/**
 * `npm run pack`: builds the three packages and packs them into `release/`, to be installed before they are published.
 * `npm run release -- --dry-run` also checks them, and adds the vectors to the package of the conformance suite.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))
export const folder = join(root, 'release')
export const names = ['sdk', 'server', 'conformance']

/** Runs a command and returns what it prints. */
export const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })
export const say = (line: string) => process.stdout.write(`${line}\n`)

interface Packed {
  readonly name: string
  readonly version: string
  readonly filename: string
  readonly size: number
}

/** Packs what is built into `release/`, which is emptied before. */
export function packAll(): readonly Packed[] {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const workspaces = names.flatMap(name => ['-w', name])
  const packed: readonly Packed[] = JSON.parse(
    run('npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...workspaces),
  )
  for (const { name, version, filename, size } of packed)
    say(`packed ${name} ${version}: release/${filename}, ${size} bytes`)
  return packed
}

export function build(): void {
  say('building')
  run('npm', 'run', 'build')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  build()
  packAll()
}
