/**
 * Makes the programs that run beside the server. Those of the sandbox are each one text that needs no file: what its
 * processes are given over their socket. Run by `npm run generate`.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const folder = path('../../src/generated/')

const common: BuildOptions = {
  bundle: true,
  target: 'es2023',
  charset: 'utf8',
  legalComments: 'inline',
  // Names stay, as stacks and formulas see them.
  minifyWhitespace: true,
  minifySyntax: true,
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

/** Lets packages have the globals of formulas in place of the packages that imitate them. */
const globals: Plugin = {
  name: 'globals',
  setup(bundler) {
    bundler.onResolve({ filter: /^(process\/|buffer|abort-controller)$/ }, ({ path }) => ({
      path,
      namespace: 'globals',
    }))
    bundler.onLoad({ filter: /./, namespace: 'globals' }, ({ path }) => ({
      contents: `module.exports = ${path === 'process/' ? 'process' : '{ Buffer, AbortController, AbortSignal }'}`,
    }))
  },
}

/** The packages in the modules of Node for formulas. Their licenses ask for a copy of them. */
const bundled = ['events', 'readable-stream', 'safe-buffer', 'string_decoder']

async function writeLicenses(): Promise<void> {
  const texts = bundled.map(async name => {
    const text = await readFile(path(`../../../node_modules/${name}/LICENSE`), 'utf8')
    return `${name}\n\n${text}`
  })
  await writeFile(`${folder}sandbox/node.LICENSE.txt`, (await Promise.all(texts)).join('\n'))
}

/** @returns when `server/src/generated/` holds every program */
export async function bundlePrograms(): Promise<void> {
  const bundles: readonly [entry: string, name: string, options: BuildOptions][] = [
    ['../../src/sandbox/child/boot.child.ts', 'sandbox/boot', { ...program, minify: true }],
    ['../../src/sandbox/child/main.child.ts', 'sandbox/runner', { ...program, minify: true }],
    ['../../src/sandbox/child/inside/main.child.ts', 'sandbox/classes', expression],
    ['../../../sdk/src/index.ts', 'sandbox/client', expression],
    ['../../src/sandbox/modules/rewrite.ts', 'sandbox/rewrite', { ...expression, minify: true }],
    [
      '../../src/sandbox/child/node/main.child.ts',
      'sandbox/node',
      {
        ...common,
        platform: 'neutral',
        format: 'cjs',
        mainFields: ['main'],
        minify: true,
        keepNames: true,
        plugins: [globals],
      },
    ],
  ]
  await Promise.all(
    bundles.map(([entry, name, options]) =>
      build({ ...options, entryPoints: [path(entry)], outfile: `${folder}${name}.js` }),
    ),
  )
  await writeLicenses()
}
