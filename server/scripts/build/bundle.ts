/**
 * Bundles our own code into a few files, since hundreds take longer to find than to run, and puts beside them what
 * the server reads: the contract as JSON, openapi-backend, the page that shows the contract, and the sandbox's programs.
 */
import { cp } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from './bundle-options.ts'

/** Entries beside the program. */
const entries = [
  ...['index', 'msw', 'testing', 'testing-setup'],
  ...['testing-fixture', 'testing-vitest', 'testing-playwright', 'testing-jest'],
]

const root = new URL('../../', import.meta.url)
await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints: {
    main: 'src/program/main.ts',
    ...Object.fromEntries(entries.map(name => [name, `src/${name}.ts`])),
  },
  outdir: 'dist',
  // All of it in one folder: what `generated-files.ts` names is beside it.
  chunkNames: 'chunk-[hash]',
  ...bundleOptions,
  // The sources would be a third of the package. Source maps lead to their files and lines without them.
  sourcesContent: false,
})
// Jest's tests are CommonJS, and cannot load ES modules on all versions of Node that are supported.
await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints: ['testing', 'testing-fixture', 'testing-jest'].map(name => `src/${name}.ts`),
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
        onResolve({ filter: /^\.\/(vault|testing|testing-fixture)\.ts$/ }, ({ path }) => ({
          // The server itself stays an ES module.
          path: path === './vault.ts' ? './index.js' : path.replace('.ts', '.cjs'),
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
