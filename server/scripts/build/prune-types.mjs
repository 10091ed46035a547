/**
 * `node prune-types.mjs`: removes the declarations of the built server that no entry of its `exports` needs. They would be
 * an eighth of the package, and slow down every compilation of an application.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = join(root, 'dist/')
const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
}
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const entries = Object.values(exports).flatMap(({ require: common, types }) =>
  common ? [types, common.types].map(path => join(root, path)) : [],
)
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
