/**
 * Completes what `tsc` has put into `dist/`, so that `import` and `require` share one copy of the client.
 *
 * - `dist/*.js`: ES modules, for browsers and bundlers.
 * - `dist/cjs/`: one CommonJS file, for `require`, and the only type declarations.
 * - `dist/node.js`: what `import` loads in Node, Deno and Bun. It exports what `dist/cjs/` exports: if an application
 *   imports the client and one of its packages requires it, `instanceof` works between the two.
 *
 * The same for `dist/dev/`, the client of development servers, which shares nothing with the other.
 */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const dist = new URL('../dist/', import.meta.url)
const path = name => fileURLToPath(new URL(name, dist))

const reexport = "export * from './cjs/index.js'\n"
const reexportDev = "export * from '../cjs/dev/index.js'\n"

await Promise.all([
  build({
    entryPoints: [path('index.js'), path('dev/index.js')],
    outdir: path('cjs'),
    bundle: true,
    format: 'cjs',
    // Node finds the names of the exports in a comment that esbuild writes for this platform only.
    platform: 'node',
    target: 'es2022',
    sourcemap: true,
    logLevel: 'warning',
  }),
  writeFile(path('cjs/package.json'), '{ "type": "commonjs" }\n'),
  writeFile(path('node.js'), reexport),
  writeFile(path('index.d.ts'), reexport),
  writeFile(path('dev/node.js'), reexportDev),
  writeFile(path('dev/index.d.ts'), reexportDev),
])
