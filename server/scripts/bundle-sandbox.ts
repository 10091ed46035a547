/**
 * Makes the programs that run in the sandbox's own processes, each one text that needs no file: what they are
 * given over their socket. Run by `npm run generate`.
 */
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const folder = path('../src/generated/sandbox/')

const common: BuildOptions = {
  bundle: true,
  target: 'es2023',
  charset: 'utf8',
  legalComments: 'inline',
  logLevel: 'warning',
}
/** Programs of Node: wrapped by their loader, which passes `require`. */
const program: BuildOptions = { ...common, platform: 'node', format: 'cjs' }
/** Evaluated in a compartment for what they export: nothing of Node is there. */
const expression: BuildOptions = {
  ...common,
  platform: 'neutral',
  format: 'iife',
  globalName: 'exported',
  // The value of an evaluation is that of the last statement of a function.
  banner: { js: '(() => {' },
  footer: { js: 'return exported })()' },
}

/** @returns when `server/src/generated/sandbox/` holds every program */
export async function bundleSandbox(): Promise<void> {
  const bundles: readonly [entry: string, name: string, options: BuildOptions][] = [
    ['../src/sandbox/child/boot.child.ts', 'boot', { ...program, minify: true }],
    ['../src/sandbox/child/main.child.ts', 'runner', program],
    ['../src/sandbox/child/inside/main.child.ts', 'classes', expression],
    ['../../sdk/src/index.ts', 'client', expression],
    ['../src/sandbox/rewrite.ts', 'rewrite', { ...expression, minify: true }],
    [
      '../src/sandbox/child/node/main.child.ts',
      'node',
      { ...common, platform: 'neutral', format: 'cjs', minify: true, keepNames: true },
    ],
  ]
  await Promise.all(
    bundles.map(([entry, name, options]) =>
      build({ ...options, entryPoints: [path(entry)], outfile: `${folder}${name}.js` }),
    ),
  )
}
