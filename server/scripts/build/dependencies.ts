import { readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** An import of a file of the repository. */
const imported = /\bfrom '(\.[^']+)'|\bimport\(?\s*'(\.[^']+)'/g

/** Dependencies of files by their imports. Each file is read once. */
export class Dependencies {
  readonly #direct = new Map<string, readonly string[]>()

  /** Returns what a file imports, directly or not, and the file itself. Paths are from the root of the repository. */
  of(path: string): ReadonlySet<string> {
    const seen = new Set([path])
    // The set grows while it is walked.
    for (const one of seen) for (const other of this.#directOf(one)) seen.add(other)
    return seen
  }

  #directOf(path: string): readonly string[] {
    const known = this.#direct.get(path)
    if (known) return known
    const absolute = join(root, path)
    const found = [...readFileSync(absolute, 'utf8').matchAll(imported)]
      .map(([, one, other]) => resolve(dirname(absolute), one ?? other ?? ''))
      .filter(file => /\.(ts|mjs)$/.test(file) && statSync(file, { throwIfNoEntry: false })?.isFile())
    const direct = [...new Set(found)].map(one => relative(root, one))
    this.#direct.set(path, direct)
    return direct
  }
}
