import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { OperatorError } from '../../base/operator-error.ts'

/** The program that runs formulas. */
interface NodeProgram {
  readonly path: string
  /** Such as `20.19.0`. */
  readonly version: string
}

/** Thrown on a runtime other than Node if there is no Node for formulas. */
export class NodeMissing extends OperatorError {
  override readonly name = 'NodeMissing'
}

const runtimes = { bun: 'Bun', deno: 'Deno' } as const

/**
 * Returns the Node that runs the server. Under Bun and Deno, which have no process as isolated, the first on the PATH.
 * @throws {NodeMissing}
 */
export async function findNode(
  versions: Readonly<Record<string, string | undefined>> = process.versions,
  path = process.env.PATH ?? '',
): Promise<NodeProgram> {
  const [, runtime] = Object.entries(runtimes).find(([name]) => versions[name] !== undefined) ?? []
  if (runtime === undefined) return { path: process.execPath, version: versions.node ?? '' }
  const node = findProgram('node', path.split(delimiter))
  const version = node === undefined ? undefined : await versionOf(node)
  if (node === undefined || version === undefined || isOld(version))
    throw new NodeMissing(
      `formulas cannot run: under ${runtime} they need Node 20.19 or later, as a program named node on the PATH; everything else works`,
    )
  return { path: node, version }
}

function versionOf(node: string): Promise<string | undefined> {
  return new Promise(resolve => {
    execFile(node, ['--version'], { env: {}, timeout: 5_000 }, (error, stdout) =>
      resolve(error ? undefined : /^v(\d+\.\d+\.\d+)/.exec(stdout)?.[1]),
    )
  })
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < 20 || (major === 20 && minor < 19)
}

/** Returns the path of a program in the first folder that has it; by default on the PATH, or among those of the system. */
export function findProgram(name: string, folders = systemFolders()): string | undefined {
  return folders
    .filter(folder => folder.startsWith('/'))
    .map(folder => join(folder, name))
    .find(isExecutable)
}

function systemFolders(): string[] {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/bin']
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
