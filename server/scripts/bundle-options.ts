import type { BuildOptions } from 'esbuild'

/** What esbuild does with our own code alike for the built server and for tests; packages of others stay packages. */
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
