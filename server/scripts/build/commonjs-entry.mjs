/**
 * `node commonjs-entry.mjs PACKAGE`: lets `require` load a package of ES modules, and TypeScript find the types of its
 * entries in every way. The entries are those of `exports` in its `package.json`.
 *
 * - `dist/ENTRY.cjs`, unless the build has made one. There is one copy of the code: the entry loads the ES module by
 *   Node's own `require`, which can do that from 20.19 on, also where the test runner's cannot (jest).
 * - `dist/ENTRY.d.ts`: the types for ES modules. All other declarations are in `dist/cjs/`, where they count as CommonJS,
 *   which both can import. The entry itself is in both folders: the packages that it names, such as msw, may have other
 *   types for `import` than for `require`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const [name = ''] = process.argv.slice(2)
const root = fileURLToPath(new URL(`../../../${name}/`, import.meta.url))
const dist = join(root, 'dist')
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n')
for (const { require: common, types } of Object.values(exports).filter(one => one.require)) {
  const declared = join(root, common.types)
  const text = readFileSync(declared, 'utf8').replaceAll(
    /((?:from|import\() ?['"])(\.\.?\/[^'"]*)/g,
    (_, before, path) => `${before}./${relative(dist, join(dirname(declared), path))}`,
  )
  writeFileSync(join(root, types), text)
  const file = join(root, common.default)
  if (!existsSync(file)) writeFileSync(file, codeOf(basename(file, '.cjs')))
}

function codeOf(entry) {
  const sentence = `@surrogate/${name} is an ES module, and this Node cannot require those: use import(), or Node 20.19 or later`
  return `'use strict'
const Module = require('node:module')
// Jest replaces this class by one of its own, derived from Node's, whose createRequire cannot load ES modules.
const { createRequire = Module.createRequire } = Object.getPrototypeOf(Module)
try {
  module.exports = createRequire(__filename)('./${entry}.js')
  // Jest gives each test file another global object, with a console of its own, than the module has.
  module.exports.hearConsoleOf?.(globalThis)
} catch (error) {
  if (error.code !== 'ERR_REQUIRE_ESM') throw error
  throw new Error('${sentence}')
}
`
}
