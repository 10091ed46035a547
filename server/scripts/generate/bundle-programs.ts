/**
 * Makes the programs that run beside the server. Those of the sandbox are each one text that needs no file: what its
 * processes are given over their socket. Run by `npm run generate`.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { nodeModules } from '../../src/sandbox/modules/module-names.ts'

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

/** Evaluated as a module of a formula: what it requires is a package, or a module of the formula. */
const ofFormulas: BuildOptions = {
  ...common,
  platform: 'neutral',
  format: 'cjs',
  mainFields: ['main'],
  minify: true,
  keepNames: true,
}

/** Replacements for what packages require, as the text of a module. */
const replacing = (texts: Readonly<Record<string, string>>): Plugin => ({
  name: 'replacements',
  setup(bundler) {
    const names = Object.keys(texts).map(name => name.replaceAll('.', '\\.'))
    bundler.onResolve({ filter: new RegExp(`^(${names.join('|')})$`) }, ({ path }) => ({
      path,
      namespace: 'replacements',
    }))
    bundler.onLoad({ filter: /./, namespace: 'replacements' }, ({ path }) => ({
      contents: texts[path] ?? '',
      resolveDir: path.startsWith('punycode') ? folder : '',
    }))
  },
})

/** The globals of formulas in place of the packages that imitate them. */
const globals = replacing({
  'abort-controller': 'module.exports = { AbortController, AbortSignal }',
  buffer: 'module.exports = { Buffer }',
  'process/': 'module.exports = process',
})

/** The modules of formulas in place of the packages that imitate them, and what ECMAScript has by now. */
const modulesOfFormulas = replacing({
  'call-bind/callBound': 'module.exports = () => Function.prototype.call.bind(RegExp.prototype.test)',
  'object-is/polyfill': 'module.exports = () => Object.is',
  'object.assign/polyfill': 'module.exports = () => Object.assign',
  'punycode/': `module.exports = require('punycode/punycode.js')`,
  // `url` passes options, which would be separators.
  qs: `const { parse, stringify } = require('querystring')
    module.exports = { parse: text => parse(text), stringify: value => stringify(value) }`,
  'util/': `module.exports = require('util')`,
})

/** The packages in the modules of Node for formulas. Their licenses ask for a copy of them. */
const bundled = [
  ['assert', 'LICENSE'],
  ['events', 'LICENSE'],
  ['path-browserify', 'LICENSE'],
  ['punycode', 'LICENSE-MIT.txt'],
  ['readable-stream', 'LICENSE'],
  ['safe-buffer', 'LICENSE'],
  ['string_decoder', 'LICENSE'],
  ['url', 'LICENSE'],
] as const

async function writeLicenses(): Promise<void> {
  const texts = bundled.map(async ([name, file]) => {
    const text = await readFile(path(`../../../node_modules/${name}/${file}`), 'utf8')
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
    ['../../src/sandbox/child/node/main.child.ts', 'sandbox/node', { ...ofFormulas, plugins: [globals] }],
    [
      '../../src/sandbox/child/imitations/main.child.ts',
      'sandbox/imitations',
      {
        ...ofFormulas,
        plugins: [modulesOfFormulas],
        external: ['node:stream', 'node:events', ...nodeModules, 'host:*'],
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
