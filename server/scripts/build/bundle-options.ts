import type { BuildOptions } from 'esbuild'

/** Options of esbuild for our own code, the same for the built server and for tests; third-party packages stay packages. */
export const bundleOptions = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: 'linked',
  logLevel: 'warning',
} satisfies BuildOptions
