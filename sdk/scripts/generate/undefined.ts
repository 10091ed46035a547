import { readFileSync, writeFileSync } from 'node:fs'
import ts from 'typescript'

/**
 * Lets optional members be undefined in the types that openapi-ts wrote: JSON leaves such members out, and callers with
 * `exactOptionalPropertyTypes` pass what they have, such as `cvc: form.cvc`. Run by `npm run generate`.
 */
for (const folder of ['src', 'src/dev/client']) {
  const path = new URL(`../../${folder}/generated/types.gen.ts`, import.meta.url)
  const text = readFileSync(path, 'utf8')
  const file = ts.createSourceFile('types.ts', text, ts.ScriptTarget.Latest)
  const ends: number[] = []
  const visit = (node: ts.Node) => {
    if (ts.isPropertySignature(node) && node.questionToken && node.type) ends.push(node.type.end)
    ts.forEachChild(node, visit)
  }
  visit(file)
  // A member may have members of its own.
  ends.sort((a, b) => a - b)
  const parts = [0, ...ends].map((start, at, all) => text.slice(start, all[at + 1]))
  writeFileSync(path, parts.join(' | undefined'))
}
