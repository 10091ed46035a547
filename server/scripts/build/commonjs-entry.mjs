/**
 * `node commonjs-entry.mjs PACKAGE ENTRY…`: lets `require` load a package of ES modules, and TypeScript find the types of
 * its entries in every way.
 *
 * - `dist/ENTRY.cjs`, unless the build has made one. There is one copy of the code: the entry loads the ES module by
 *   Node's own `require`, which can do that from 20.19 on, also where the test runner's cannot (jest).
 * - `dist/ENTRY.d.ts`: the types for ES modules. All other declarations are in `dist/cjs/`, where they count as CommonJS,
 *   which both can import. The entry itself is in both folders: the packages that it names, such as msw, may have other
 *   types for `import` than for `require`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [name = '', ...entries] = process.argv.slice(2)
const folder = fileURLToPath(new URL(`../../../${name}/dist/`, import.meta.url))

writeFileSync(join(folder, 'cjs/package.json'), '{ "type": "commonjs" }\n')
for (const entry of entries) {
  const types = readFileSync(join(folder, `cjs/${entry}.d.ts`), 'utf8')
  writeFileSync(
    join(folder, `${entry}.d.ts`),
    types.replaceAll(/(from|import\() ?(['"])\.\//g, '$1 $2./cjs/'),
  )
  const file = join(folder, `${entry}.cjs`)
  if (!existsSync(file)) writeFileSync(file, codeOf(entry))
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
