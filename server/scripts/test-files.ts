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

/** Reads a command line: flags are for tap, files and folders choose tests. Without any of these it is `usual`. */
export function readWords(words: readonly string[], usual: readonly string[]) {
  const flags = words.filter(word => word.startsWith('-'))
  const paths = words.filter(word => !word.startsWith('-')).map(path => resolve(path))
  const isNamed = (test: string) => paths.some(path => `${join(root, test)}${sep}`.startsWith(path + sep))
  // tap runs these itself if it gets no files.
  if (flags.includes('--version') || flags.includes('--help')) return { flags, tests: [], isWhole: false }
  const tests = paths.length === 0 ? usual : findTests().filter(isNamed)
  if (tests.length === 0) throw new Error(`there are no tests in ${paths.join(', ')}`)
  return { flags, tests, isWhole: paths.length === 0 }
}

/** Tests by the name of the process that runs them. */
export type Groups = ReadonlyMap<string, readonly string[]>

/**
 * A test that would disturb others in its process, be disturbed by them, or hold them up, says so. One that waits
 * before it defines its tests would find that tap takes the process for done.
 */
const alone = /^\/\/ In a process of its own: |^(?:(?:const|let) .* = |\} = )?await /m

/** The tests of a folder share a process, since it takes longer to start one than to run most tests. */
export function groupTests(tests: readonly string[]): Groups {
  const [single, shared] = [new Map<string, string[]>(), new Map<string, string[]>()]
  for (const test of tests) {
    const isAlone = alone.test(readFileSync(join(root, test), 'utf8'))
    const [group, groups] = isAlone
      ? [test.replace(/\.ts$/, ''), single]
      : [`${dirname(test)}/all.test`, shared]
    groups.set(group, [...(groups.get(group) ?? []), test])
  }
  // The long ones first: no processor is idle while the last of them ends.
  return new Map([...single, ...shared])
}
