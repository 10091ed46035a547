import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Runs that tests belong to: each change on a developer's machine, each change in CI, each night. */
export const layers = ['test', 'ci', 'nightly'] as const
export type Layer = (typeof layers)[number]

export const isLayer = (text: string): text is Layer => (layers as readonly string[]).includes(text)

const firstLines = (test: string) => readFileSync(join(root, test), 'utf8').slice(0, 600)

/** Returns the layer of a test: its first lines say so, with the reason, if it is not that of `npm test`. */
export function layerOf(test: string): Layer {
  const [, where] = /^\/\/ Only (in CI|at night): /m.exec(firstLines(test)) ?? []
  return where === undefined ? 'test' : where === 'in CI' ? 'ci' : 'nightly'
}

/** True for a test that would disturb others in its process, be disturbed by them, or hold them up. It says why. */
export const isAlone = (test: string) => /^\/\/ In a process of its own: /m.test(firstLines(test))

/** Returns all tests, from the root of the repository. */
export function findTests(): string[] {
  return ['conformance', 'sdk', 'server'].flatMap(name => testsIn(join(root, name)))
}

export const testsOfLayer = (layer: Layer) => findTests().filter(test => layerOf(test) === layer)

function testsIn(path: string): string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap(entry => {
    const inside = join(path, entry.name)
    if (entry.isDirectory()) return /^(node_modules|dist|generated)$/.test(entry.name) ? [] : testsIn(inside)
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
