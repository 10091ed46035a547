import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const notOurs = ['node_modules', 'dist', 'generated']

/** All tests, from the root of the repository. */
export function findTests(): string[] {
  return ['conformance', 'sdk', 'server'].flatMap(name => testsIn(join(root, name)))
}

function testsIn(path: string): string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap(entry => {
    const inside = join(path, entry.name)
    if (entry.isDirectory()) return notOurs.includes(entry.name) ? [] : testsIn(inside)
    return entry.name.endsWith('.test.ts') ? [relative(root, inside)] : []
  })
}

/** Returns the tests in files and folders. @throws if there are none */
export function testsOf(paths: readonly string[]): string[] {
  const absolute = paths.map(path => resolve(path))
  const tests = findTests().filter(test =>
    absolute.some(path => `${join(root, test)}${sep}`.startsWith(path + sep)),
  )
  if (tests.length === 0) throw new Error(`there are no tests in ${paths.join(', ')}`)
  return tests
}

/** A test says so, and why, if only CI runs it: `npm test` has to be quick. */
const onlyInCi = /^\/\/ Only in CI: (.+)$/m

/** Returns why only CI runs a test, or undefined if every run does. */
export function whyOnlyInCi(test: string): string | undefined {
  return onlyInCi.exec(readFileSync(join(root, test), 'utf8'))?.[1]
}

/** Tests by the name of the process that runs them. */
export type Groups = ReadonlyMap<string, readonly string[]>

/** A test says so, and why, if it would disturb others in its process, be disturbed by them, or hold them up. */
const alone = /^\/\/ In a process of its own: /m

/** Fewer files than this share a process with those of the folder above. */
const few = 12

/** The assumed time of a test file that was not run here before. */
const usualMs = { alone: 10_000, shared: 1_000 }

/** The folder whose tests share a process, such as `server/src/tokens` with all folders in it. */
function sharedFolders(tests: readonly string[]): ReadonlyMap<string, string> {
  const folders = new Map(tests.map(test => [test, dirname(test).split('/').slice(0, 3).join('/')] as const))
  for (const depth of [3, 2]) {
    const sizes = new Map<string, number>()
    for (const folder of folders.values()) sizes.set(folder, (sizes.get(folder) ?? 0) + 1)
    for (const [test, folder] of folders)
      if (folder.split('/').length === depth && (sizes.get(folder) ?? 0) < few)
        folders.set(test, dirname(folder))
  }
  return folders
}

/**
 * Divides tests into processes. Those of a folder share one, since it takes longer to start a process than to run most
 * tests.
 *
 * @param lastTimes what the tests of each file took, if they were run before: the longest processes are the first, so
 * that no processor is idle while the last of them ends
 */
export function groupTests(tests: readonly string[], lastTimes: Readonly<Record<string, number>>): Groups {
  const isAlone = new Set(tests.filter(test => alone.test(readFileSync(join(root, test), 'utf8'))))
  const folders = sharedFolders(tests.filter(test => !isAlone.has(test)))
  const groups = groupBy(tests, test =>
    isAlone.has(test) ? test.replace(/\.ts$/, '') : `${folders.get(test)}/all.test`,
  )
  const last = (test: string) => lastTimes[test] ?? (isAlone.has(test) ? usualMs.alone : usualMs.shared)
  const total = (files: readonly string[]) => files.reduce((sum, test) => sum + last(test), 0)
  return new Map([...groups].sort(([, a], [, b]) => total(b) - total(a)))
}

function groupBy(tests: readonly string[], nameOf: (test: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const test of tests) groups.set(nameOf(test), [...(groups.get(nameOf(test)) ?? []), test])
  return groups
}
