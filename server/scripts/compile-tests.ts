import { readdirSync, statSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Metafile, type Plugin } from 'esbuild'
import { bundleOptions } from './bundle-options.ts'
import type { Groups } from './test-files.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Programs that tests start in processes of their own, and modules that they preload or import there. */
const programs = [
  'server/src/main.ts',
  'server/fuzz/probe.ts',
  'server/fuzz/watch.ts',
  'server/fuzz/_sabotage.ts',
  'server/src/expressions/_fixture.ts',
  'server/src/sandbox/_fixture.ts',
  'server/src/sandbox/_probe.ts',
  'server/src/storage/engines/level/_crash-writer.ts',
  'server/src/webhooks/_crash-process.ts',
  'server/testing/light-tap.ts',
  'server/testing/postgres/server.ts',
] as const
/** Another run may be using what an earlier one compiled. */
const keptMs = 24 * 3_600_000

const sourceUrl = 'urlOfTheSource'

/** Keeps `import.meta.url` that of the source, for code that reads files next to it. */
const atTheSource: Plugin = {
  name: 'at-the-source',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.(ts|mjs)$/, namespace: 'file' }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const url = JSON.stringify(pathToFileURL(path).href)
      // On the line that is there: positions stay what they are.
      return { contents: `const ${sourceUrl} = ${url}; ${text}`, loader: path.endsWith('.ts') ? 'ts' : 'js' }
    }),
}

/** tap without what makes promises slow. */
const lightTap: Plugin = {
  name: 'light-tap',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^tap$/ }, () => ({ path: join(root, 'server/testing/light-tap.ts') })),
}

/** `import` would scan the nine megabytes of the compiler for the names of its exports. */
const requiredCompiler: Plugin = {
  name: 'required-compiler',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^typescript$/ }, ({ path }) => ({ path, namespace: 'required' }))
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `import { createRequire } from 'node:module'
        export default createRequire(${JSON.stringify(pathToFileURL(root).href)})(${JSON.stringify(path)})`,
    }))
  },
}

/** The tests of a group, one after the other. The time of each file is measured. */
const oneAfterTheOther = (groups: Groups): Plugin => ({
  name: 'one-after-the-other',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(group|begin):/ }, ({ path }) => {
      const [namespace, name] = [path.slice(0, 5), path.slice(6)]
      return { path: name, namespace, sideEffects: true }
    })
    onLoad({ filter: /./, namespace: 'group' }, ({ path }) => {
      const imports = (groups.get(path) ?? []).flatMap(test => [`begin:${test}`, join(root, test)])
      const contents = ['./server/testing/loading.ts', ...imports]
        .map(one => `import ${JSON.stringify(one)}`)
        .join('\n')
      return {
        contents: `${contents}\nimport { endLoading } from './server/testing/loading.ts'; endLoading()`,
        resolveDir: root,
      }
    })
    onLoad({ filter: /./, namespace: 'begin' }, ({ path }) => ({
      contents: `import { beginFile } from './server/testing/file-times.ts'; beginFile(${JSON.stringify(path)})`,
      resolveDir: root,
    }))
  },
})

/**
 * Compiles tests, and the program they start, into few files of plain JavaScript: to read the sources one by one
 * would take most of their time.
 * @param run runs of other names may go on meanwhile, what they have compiled stays as it is
 * @returns a compiled file for each group, from the root of the repository
 */
export async function compileTests(groups: Groups, run: string): Promise<string[]> {
  const folder = join(root, '.compiled', run)
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      ...[...groups.keys()].map(group => ({ in: `group:${group}`, out: group })),
      ...programs.map(program => ({ in: program, out: program.replace(/\.ts$/, '') })),
    ],
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    ...bundleOptions,
    // Who reads the source maps finds the sources on this machine.
    sourcesContent: false,
    // The SDK declares itself free of side effects; esbuild would drop its tests for that.
    ignoreAnnotations: true,
    define: {
      'import.meta.url': sourceUrl,
      'process.env.COMPILED_PROGRAMS': JSON.stringify(pathToFileURL(join(folder, '/')).href),
    },
    plugins: [lightTap, requiredCompiler, atTheSource, oneAfterTheOther(groups)],
    metafile: true,
  })
  refuseDropped([...groups.values()].flat(), metafile)
  await removeOld(folder, new Set(Object.keys(metafile.outputs)))
  return [...groups.keys()].map(group => relative(root, join(folder, `${group}.js`)))
}

/** A test whose code the bundler drops would pass without having run. */
function refuseDropped(tests: readonly string[], { outputs }: Metafile): void {
  const kept = new Set(
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.keys(inputs).filter(path => (inputs[path]?.bytesInOutput ?? 0) > 0),
    ),
  )
  const dropped = tests.filter(test => !kept.has(test))
  if (dropped.length > 0) throw new Error(`the bundler left out ${dropped.join(', ')}`)
}

async function removeOld(folder: string, outputs: ReadonlySet<string>): Promise<void> {
  const oldMs = Date.now() - keptMs
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || outputs.has(relative(root, path)) || statSync(path).mtimeMs > oldMs) continue
    await rm(path, { force: true })
  }
}
