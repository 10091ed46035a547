/**
 * `node prune-types.mjs ENTRY…`: removes the declarations of the built server that none of these entries needs. They
 * would be an eighth of the package, and slow down every compilation of an application.
 */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const folder = fileURLToPath(new URL('../../dist/', import.meta.url))
const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
}
const entries = process.argv
  .slice(2)
  .flatMap(entry => [join(folder, `${entry}.d.ts`), join(folder, `cjs/${entry}.d.ts`)])
const needed = new Set(
  ts
    .createProgram(entries, options)
    .getSourceFiles()
    .map(({ fileName }) => fileName),
)
for (const entry of entries) if (!needed.has(entry)) throw new Error(`${entry} is missing`)
const files = readdirSync(folder, { recursive: true }).filter(name => /\.d\.c?ts$/.test(name))
for (const file of files) if (!needed.has(join(folder, file))) rmSync(join(folder, file))
process.stdout.write(`kept ${needed.size} of ${files.length} declarations\n`)
