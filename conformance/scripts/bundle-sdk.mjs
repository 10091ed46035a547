/**
 * Bundles the client for the suite's second pass, so that the published package needs no other of ours. Run by
 * `npm run generate`.
 */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const path = name => fileURLToPath(new URL(name, import.meta.url))
await build({
  entryPoints: [path('../../sdk/src/index.ts')],
  outfile: path('../src/generated/sdk.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2023',
  logLevel: 'warning',
})
