import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { machineMs } from '../../base/time/real-time.ts'
import { digestOfFacts, sha256 } from '../../crypto/digest.ts'

const unusedMs = 30 * 24 * 3_600_000
/** The folder of the package that a file is in. */
const packageFolder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/

interface Kept {
  /** Paths and digests of all files that the bundle was made of. */
  readonly files: readonly (readonly [path: string, digest: string])[]
  readonly text: string
}

/** Returns where the user's programs keep what they can make again; `undefined` for a user without a home. */
export function userCacheFolder(): string | undefined {
  const caches = process.env.XDG_CACHE_HOME || cachesOfHome()
  return caches && join(caches, 'surrogate', 'formula-modules')
}

function cachesOfHome(): string | undefined {
  try {
    return homedir() && join(homedir(), '.cache')
  } catch {
    // The system knows no user with this id, as in containers that run with any.
    return undefined
  }
}

/**
 * Keeps bundles between starts, by the content of all files that they were made of: to bundle ten packages takes seconds of
 * processor time. What is in the folder becomes code of formulas, so it is used only if nobody else can write to it. An
 * entry replaces the one before it, and goes when it was not used for 30 days.
 */
export class BundleCache {
  readonly #folder: string
  readonly #program: Uint8Array

  /** @param program all that makes bundles and chooses among them, as another one makes others */
  constructor(folder: string, program: Uint8Array) {
    this.#folder = folder
    this.#program = program
  }

  /** @param source all that determines a bundle beside the content of files */
  entry(source: unknown) {
    const name = sha256(digestOfFacts(JSON.stringify(source), this.#program))
    const file = join(this.#folder, `${name}.json`)
    return {
      /** Returns the bundle, if none of its files has changed. */
      read: () => this.#read(file),
      /** @param files all that the bundle was made of */
      write: (text: string, files: readonly string[]) => this.#write(file, text, files),
    }
  }

  #read(file: string): string | undefined {
    try {
      if (!isOwn(this.#folder) || !isOwn(file)) return undefined
      const { files, text } = JSON.parse(readFileSync(file, 'utf8')) as Kept
      if (!files.every(([path, digest]) => digestOf(path) === digest)) return undefined
      utimesSync(file, new Date(), new Date())
      return text
    } catch {
      // It is made again, and written if that can be.
      return undefined
    }
  }

  #write(file: string, text: string, files: readonly string[]): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      if (!isOwn(this.#folder)) return
      const packages = files.flatMap(path => packageFolder.exec(path)?.[0] ?? [])
      const all = new Set([...files, ...packages.map(folder => join(folder, 'package.json'))])
      const kept: Kept = { files: [...all].map(path => [path, digestOf(path)]), text }
      const temporary = `${file}.${process.pid}`
      writeFileSync(temporary, JSON.stringify(kept), { mode: 0o600 })
      renameSync(temporary, file)
      this.#removeUnused()
    } catch {
      // A server may have no home, or one that cannot be written.
    }
  }

  #removeUnused(): void {
    for (const name of readdirSync(this.#folder)) {
      const file = join(this.#folder, name)
      if (machineMs() - lstatSync(file).mtimeMs > unusedMs) rmSync(file)
    }
  }
}

const digestOf = (path: string) => digestOfFacts('', readFileSync(path))

/** True if a file or folder is ours, is not a link, and nobody else can write to it. */
function isOwn(path: string): boolean {
  const { uid, mode } = lstatSync(path)
  const isLink = (mode & 0o170000) === 0o120000
  return !isLink && (process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0))
}
