/**
 * Bundles our own code into a few files, since hundreds take longer to find than to run, and puts beside them what
 * the server reads: the contract as JSON, its operations and validators, the page that shows it, and the sandbox's
 * programs.
 */
import { cp } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from './bundle-options.ts'

const root = new URL('../', import.meta.url)
await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints: ['src/index.ts', 'src/main.ts', 'src/msw.ts'],
  outdir: 'dist',
  // All of it in one folder: what `generated-files.ts` names is beside it.
  chunkNames: 'chunk-[hash]',
  ...bundleOptions,
  // The sources would be a third of the package. Source maps lead to their files and lines without them.
  sourcesContent: false,
})
for (const name of ['openapi.json', 'operations.json', 'validators', 'docs', 'sandbox']) {
  await cp(new URL(`src/generated/${name}`, root), new URL(`dist/generated/${name}`, root), {
    recursive: true,
  })
}
