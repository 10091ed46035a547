import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Dependencies } from './dependencies.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Branches that work starts from, the first that exists. */
const bases = ['origin/HEAD', 'origin/main', 'main', 'master']

/** Files that everything depends on without naming them. */
const concernsAll =
  /^(openapi\.yaml|package(-lock)?\.json|tsconfig\.json|server\/scripts\/(compile|generate|bundle|facts|oper).*)$/

/** Sources that reach the server as generated files, and where it reads those. */
const generated: readonly [sources: RegExp, reader: string][] = [
  [/^server\/src\/sandbox\/child\//, 'server/src/sandbox/programs.ts'],
  [/^server\/src\/http\/docs\//, 'server/src/http/outside/docs.ts'],
]

/** These put the whole server together: tests that open one depend on nearly every file. */
const wholeServer = ['server/src/vault.ts', 'server/src/main.ts']

export interface ChangedTests {
  readonly tests: readonly string[]
  /** Tests that depend on a change, but are left out: only through a whole server, and of another folder. */
  readonly farther: readonly string[]
}

/**
 * Chooses the tests of changed files: those that depend on them otherwise than through a whole server, and those
 * beside them.
 */
export function testsOfChanges(all: readonly string[], changed: readonly string[]): ChangedTests {
  if (changed.some(path => concernsAll.test(path))) return { tests: all, farther: [] }
  const dependencies = Dependencies.byNames()
  const readers = generated
    .filter(([from]) => changed.some(path => from.test(path)))
    .map(([, reader]) => reader)
  const sought = [...changed, ...readers]
  const depends = (test: string, without?: readonly string[]) => {
    const needed = dependencies.of(test, without)
    return sought.some(path => needed.has(path))
  }
  const folders = new Set(changed.map(path => dirname(path)))
  const tests = all.filter(
    test => depends(test, wholeServer) || (folders.has(dirname(test)) && depends(test)),
  )
  return { tests, farther: all.filter(test => !tests.includes(test) && depends(test)) }
}

/** Lists what was changed in the working tree, and in commits since this branch left `base`. */
export function changedFiles(base?: string): string[] {
  const from = git('merge-base', 'HEAD', base ?? bases.find(exists) ?? 'HEAD')
  return [
    // Deleted files have no tests, and those that imported them were changed too.
    ...lines(git('diff', '--name-only', '--diff-filter=d', from)),
    ...lines(git('ls-files', '--others', '--exclude-standard')),
  ]
}

const lines = (text: string) => text.split('\n').filter(line => line !== '')

function exists(branch: string): boolean {
  try {
    git('rev-parse', '--verify', '--quiet', `${branch}^{commit}`)
    return true
  } catch {
    return false
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}
