import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { bundleOptions } from '../../scripts/build/bundle-options.ts'
import { filesUnder } from '../support/files.ts'
import { isAlone, root } from './tests.ts'

/** Programs that tests start in processes of their own, and modules that they preload or import there. */
const programs = [
  'server/src/program/main.ts',
  'conformance/src/program.ts',
  'server/verify/soak/attackers.ts',
  'server/verify/soak/probe.ts',
  'server/verify/soak/watch.ts',
  'server/src/expressions/_fixture.ts',
  'server/src/sandbox/_fixture.ts',
  'server/src/sandbox/_probe.ts',
  'server/src/storage/engines/level/_crash-writer.ts',
  'server/src/webhooks/_crash-process.ts',
  'server/verify/support/postgres/server.ts',
] as const

/** Fewer files than this share a process with those of the folder above. */
const few = 12

/** Returns the folder whose tests share a process, such as `server/src/tokens` with all folders in it. */
function sharedFolder(test: string, tests: readonly string[]): string {
  for (const depth of [3, 2]) {
    const folder = dirname(test).split('/').slice(0, depth).join('/')
    if (tests.filter(one => one.startsWith(`${folder}/`)).length >= few) return folder
  }
  return test.split('/', 1).join()
}

/** Divides tests into processes, by name: it takes longer to start a process than to run most tests. */
export function groupTests(tests: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  const together = tests.filter(test => !isAlone(test))
  for (const test of tests) {
    const name = isAlone(test) ? test.replace(/\.ts$/, '') : `${sharedFolder(test, together)}/all.test`
    groups.set(name, [...(groups.get(name) ?? []), test])
  }
  return groups
}

/** Keeps `import.meta.url` that of the source, for code that reads files next to it. */
const atTheSource: Plugin = {
  name: 'at-the-source',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.(ts|mjs)$/, namespace: 'file' }, ({ path }) => {
      const url = JSON.stringify(pathToFileURL(path).href)
      // On the line that is there: positions stay what they are.
      const contents = `const urlOfTheSource = ${url}; ${readFileSync(path, 'utf8')}`
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
    }),
}

/** The tests of a group, one after the other. */
const oneAfterTheOther = (groups: ReadonlyMap<string, readonly string[]>): Plugin => ({
  name: 'one-after-the-other',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(group|end):/ }, ({ path }) => {
      const [namespace = '', name = ''] = path.split(':')
      return { path: name, namespace, sideEffects: true }
    })
    const load = (contents: string) => ({ contents, resolveDir: join(root, 'server/verify/support') })
    onLoad({ filter: /./, namespace: 'group' }, ({ path }) => {
      const tests = (groups.get(path) ?? []).flatMap(test => [join(root, test), `end:${test}`])
      return load(
        ['./loading.ts', ...tests, 'end:all'].map(one => `import ${JSON.stringify(one)}`).join('\n'),
      )
    })
    onLoad({ filter: /./, namespace: 'end' }, ({ path }) =>
      load(`import { endFile } from './loading.ts'; endFile(${JSON.stringify(path)})`),
    )
  },
})

/**
 * Compiles tests, and the programs that they start, into few files of plain JavaScript: to read the sources one by one
 * would take most of their time. Outputs that did not change are not written, so that `tap --changed` knows them.
 *
 * @param folder holds nothing else
 * @returns the compiled file of each group
 */
export async function compileTests(tests: readonly string[], folder: string): Promise<string[]> {
  const groups = groupTests(tests)
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [
      ...[...groups.keys()].map(group => ({ in: `group:${group}`, out: group })),
      ...programs.map(program => ({ in: program, out: program.replace(/\.ts$/, '') })),
    ],
    outdir: folder,
    write: false,
    chunkNames: 'chunks/[name]-[hash]',
    ...bundleOptions,
    // Who reads the source maps finds the sources on this machine.
    sourcesContent: false,
    // The SDK declares itself free of side effects; esbuild would drop its tests for that.
    ignoreAnnotations: true,
    define: {
      'import.meta.url': 'urlOfTheSource',
      'process.env.COMPILED_PROGRAMS': JSON.stringify(pathToFileURL(join(folder, '/')).href),
    },
    plugins: [atTheSource, oneAfterTheOther(groups)],
  })
  for (const { path, contents } of outputFiles) {
    if (existsSync(path) && readFileSync(path).equals(contents)) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, contents)
  }
  const outputs = new Set(outputFiles.map(({ path }) => path))
  for (const path of filesUnder(folder)) if (!outputs.has(path)) rmSync(path)
  return [...groups.keys()].map(group => join(folder, `${group}.js`))
}
