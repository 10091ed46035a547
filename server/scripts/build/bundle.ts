/**
 * Bundles our own code into a few files, since hundreds take longer to find than to run, and puts beside them what
 * the server reads: the contract as JSON, openapi-backend, the page that shows the contract, and the sandbox's programs.
 */
import { readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from './bundle-options.ts'

const root = new URL('../../', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly require?: { types: string; default: string } }>>
}
/** The source of each entry of the package, by the name of its file in `dist`. */
const entries = Object.fromEntries(
  Object.values(exports).flatMap(({ require: common }) =>
    common
      ? [[basename(common.default, '.cjs'), common.types.replace(/^.*\/cjs\/(.*)\.d\.ts$/, 'src/$1.ts')]]
      : [],
  ),
)

await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints: { main: 'src/program/main.ts', ...entries },
  outdir: 'dist',
  // All of it in one folder: what `generated-files.ts` names is beside it.
  chunkNames: 'chunk-[hash]',
  ...bundleOptions,
  // The sources would be a third of the package. Source maps lead to their files and lines without them.
  sourcesContent: false,
})
// Jest's tests are CommonJS, and cannot load ES modules on all versions of Node that are supported.
const common = ['testing', 'testing-fixture', 'testing-jest']
const commonOf: Readonly<Record<string, string>> = {
  // The server itself stays an ES module.
  '../vault.ts': './index.js',
  './testing.ts': './testing.cjs',
  './fixture.ts': './testing-fixture.cjs',
}
await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints: Object.fromEntries(common.map(name => [name, entries[name] ?? ''])),
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  ...bundleOptions,
  splitting: false,
  format: 'cjs',
  sourcemap: false,
  plugins: [
    {
      name: 'one-file-each',
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\.\.?\/(vault|testing|fixture)\.ts$/ }, ({ path }) => ({
          path: commonOf[path] ?? path,
          external: true,
        })),
    },
  ],
})
await cp(new URL('src/generated/schemas', root), new URL('dist/schemas', root), { recursive: true })
for (const name of [
  'openapi.json',
  'requests.json',
  'closed.json',
  'bootstrap.schema.json',
  'openapi-backend.cjs',
  'openapi-backend.LICENSE.txt',
  'docs',
  'dev-page',
  'sandbox',
]) {
  await cp(new URL(`src/generated/${name}`, root), new URL(`dist/generated/${name}`, root), {
    recursive: true,
  })
}
