/**
 * `node commonjs-entry.mjs PACKAGE ENTRY…`: writes `dist/ENTRY.cjs` and its types beside each `dist/ENTRY.js`, for
 * `require`. There is one copy of the code: the entry loads the ES module by Node's own `require`, which can do that
 * from 20.19 on, also where the test runner's cannot (jest).
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const [name = '', ...entries] = process.argv.slice(2)
const folder = fileURLToPath(new URL(`../../../${name}/dist/`, import.meta.url))
const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  skipLibCheck: true,
}

for (const entry of entries) {
  writeFileSync(join(folder, `${entry}.cjs`), codeOf(entry))
  writeFileSync(join(folder, `${entry}.d.cts`), typesOf(entry))
}

function codeOf(entry) {
  const sentence = `@surrogate/${name} is an ES module, and this Node cannot require those: use import(), or Node 20.19 or later`
  return `'use strict'
const Module = require('node:module')
// Jest replaces this class by one of its own, derived from Node's, whose createRequire cannot load ES modules.
const { createRequire = Module.createRequire } = Object.getPrototypeOf(Module)
try {
  module.exports = createRequire(__filename)('./${entry}.js')
} catch (error) {
  if (error.code !== 'ERR_REQUIRE_ESM') throw error
  throw new Error('${sentence}')
}
`
}

/** Names each export: a declaration file for \`require\` cannot re-export an ES module as a whole. */
function typesOf(entry) {
  const file = join(folder, `${entry}.d.ts`)
  const program = ts.createProgram([file], options)
  const checker = program.getTypeChecker()
  const symbol = checker.getSymbolAtLocation(program.getSourceFile(file))
  const module = `import('./${entry}.js', { with: { 'resolution-mode': 'import' } })`
  const lines = checker.getExportsOfModule(symbol).flatMap(exported => {
    const own = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    const { name: one } = exported
    const parameters =
      checker.getDeclaredTypeOfSymbol(own).aliasTypeArguments ?? own.declarations?.[0]?.typeParameters
    if (own.flags & ts.SymbolFlags.Type && parameters?.length)
      throw new Error(`${entry}: the type ${one} has parameters, which this script does not pass on`)
    return [
      ...(own.flags & ts.SymbolFlags.Value ? [`export declare const ${one}: typeof ${module}.${one}`] : []),
      ...(own.flags & ts.SymbolFlags.Type ? [`export type ${one} = ${module}.${one}`] : []),
    ]
  })
  if (lines.length === 0) throw new Error(`${entry}: no exports found`)
  return `${lines.join('\n')}\n`
}
