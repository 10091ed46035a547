/**
 * Bundles the client for `--through sdk`, so that the published package does not depend on the SDK. Run by
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
