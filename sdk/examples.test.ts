// Checks that every example in a docstring and in the README compiles, given a client named `surrogate`.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import ts from 'typescript'

const folder = fileURLToPath(new URL('./', import.meta.url))
const index = `${folder}src/index.ts`
const program = ts.createProgram([index], { allowImportingTsExtensions: true, noEmit: true, types: [] })
const checker = program.getTypeChecker()
const file = program.getSourceFile(index)
const module = file && checker.getSymbolAtLocation(file)
const symbols = module ? checker.getExportsOfModule(module) : []
const exported = symbols.map(({ name }) => name)

const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  name => /^(README\.md|src\/([\w-]+|resources\/[\w-]+)\.ts)$/.test(name) && !/\.test\.ts$/.test(name),
)

/** Each example as a module, named after its file and line. */
const examples = new Map<string, string>()
for (const name of sources) {
  const text = readFileSync(folder + name, 'utf8')
  for (const match of text.matchAll(/^( *(?:\* ?)?)```ts\n(.*?)^ *(?:\* ?)?```$/gms)) {
    const [, indent = '', body = ''] = match
    const code = body.replaceAll(new RegExp(`^ *${indent.trim() && '\\* ?'}`, 'gm'), '')
    const line = text.slice(0, match.index).split('\n').length
    examples.set(`example-${name.replaceAll('/', '-')}-${line}.ts`, asModule(code))
  }
}

function asModule(code: string): string {
  const imported = new Set(
    [...code.matchAll(/import \{(.+?)\}/g)].flatMap(([, names = '']) => names.match(/\w+/g) ?? []),
  )
  const needed = exported.filter(name => new RegExp(`\\b${name}\\b`).test(code) && !imported.has(name))
  const client = /\bconst surrogate\b/.test(code)
    ? ''
    : 'declare const surrogate: import("@surrogate/sdk").Surrogate'
  return `import { ${needed.join(', ')} } from '@surrogate/sdk';${client}\n${code}\nexport {}`
}

/** The types of the server that the README uses. */
const server = `export declare function createVault(options: { storage: string; dev?: boolean }): {
  createTenant(): Promise<{ privateKey: string }>
  fetch(request: Request | string | URL, init?: RequestInit): Promise<Response>
  readonly clock: { advance(ms: number): Promise<void> }
  close(): Promise<void>
}`
const serverMsw = `import type { HttpHandler } from 'msw'
export declare function vaultHandlers(vault: { fetch: unknown }, baseUrl: string): HttpHandler[]`

t.test('examples compile', async t => {
  t.ok(examples.size > 20)
  const place = t.testdir({
    ...Object.fromEntries(examples),
    'server.d.ts': server,
    'server-msw.d.ts': serverMsw,
    'tsconfig.json': JSON.stringify({
      extends: join(folder, '../tsconfig.json'),
      compilerOptions: {
        incremental: false,
        verbatimModuleSyntax: false,
        noUnusedLocals: false,
        types: ['node'],
        paths: {
          '@surrogate/sdk': [index],
          '@surrogate/server': ['./server.d.ts'],
          '@surrogate/server/msw': ['./server-msw.d.ts'],
        },
      },
      include: [],
      files: [...examples.keys()],
    }),
  })
  // The native compiler takes a fifth of the time.
  const program = join(folder, '../node_modules/typescript-7/bin/tsc')
  const compiled = promisify(execFile)(process.execPath, [program, '--singleThreaded', '--project', place])
  t.equal(await compiled.then(() => '').catch(({ stdout, message }) => stdout || message), '')
})

t.test('every public symbol has a docstring and an example', async t => {
  for (const alias of symbols) {
    const symbol = alias.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(alias) : alias
    t.ok(symbol.getDocumentationComment(checker).length > 0, `${symbol.name} is documented`)
    const members = symbol.members ? [...symbol.members.values()] : []
    const methods = members.filter(
      ({ flags, name }) => flags & ts.SymbolFlags.Method && !name.startsWith('__'),
    )
    // The docstrings of the contract's types hold no TypeScript; the README has examples of them.
    const isGenerated = symbol.declarations?.some(one =>
      /\/types\.gen\.ts$/.test(one.getSourceFile().fileName),
    )
    const hasExample = isGenerated
      ? [...examples.values()].some(code => new RegExp(`\\b${symbol.name}\\b`).test(code))
      : [symbol, ...methods].some(one => one.getJsDocTags().some(({ name }) => name === 'example'))
    t.ok(hasExample, `${symbol.name} has an example`)
    for (const method of methods) {
      t.ok(method.getDocumentationComment(checker).length > 0, `${symbol.name}.${method.name} is documented`)
    }
  }
})
