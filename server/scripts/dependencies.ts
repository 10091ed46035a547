import { readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** An import of a file of the repository. */
const imported = /\bfrom '(\.[^']+)'|\bimport\(?\s*'(\.[^']+)'/g
/** A string that may be the path of a file, so that files that are read or started at run time count as well. */
const named = /['"`]([^'"`\s*{}]+\.[a-z]+)['"`]/g

const readable = /\.(ts|mjs|js)$/
const notOurs = /^\.\.|(^|\/)(node_modules|dist)\//

/** Dependencies of files, found in their text. Each file is read once. */
export class Dependencies {
  readonly #pattern: RegExp
  readonly #direct = new Map<string, readonly string[]>()

  private constructor(pattern: RegExp) {
    this.#pattern = pattern
  }

  static readonly byImports = () => new Dependencies(imported)
  static readonly byNames = () => new Dependencies(named)

  /**
   * Returns what a file depends on, directly or not, and the file itself. Paths are from the root of the repository.
   *
   * @param without files whose own dependencies do not count
   */
  of(path: string, without: readonly string[] = []): ReadonlySet<string> {
    const seen = new Set([path])
    for (const one of seen) {
      if (without.includes(one)) continue
      // The set grows while it is walked.
      for (const other of this.#directOf(one)) seen.add(other)
    }
    return seen
  }

  #directOf(path: string): readonly string[] {
    const known = this.#direct.get(path)
    if (known) return known
    const absolute = join(root, path)
    const texts = readable.test(path) ? readFileSync(absolute, 'utf8').matchAll(this.#pattern) : []
    const found = [...texts].flatMap(([, one, other]) =>
      [dirname(absolute), root].map(from => resolve(from, one ?? other ?? '')).filter(isOurFile),
    )
    const direct = [...new Set(found)].map(one => relative(root, one))
    this.#direct.set(path, direct)
    return direct
  }
}

function isOurFile(path: string): boolean {
  return !notOurs.test(relative(root, path)) && statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
