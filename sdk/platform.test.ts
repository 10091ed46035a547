// Which functions of the platform the client calls: those that its README lists, and no newer ones.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Returns what a program calls of the library `dom`, such as `URL` and `Blob.text`, without types. */
function calledOfPlatform(entry: string): string[] {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root)
  const program = ts.createProgram([`${root}${entry}`], { ...options, types: [] })
  const checker = program.getTypeChecker()
  const found = new Set<string>()
  const visit = (node: ts.Node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    const [declaration] = (ts.isIdentifier(node) && checker.getSymbolAtLocation(node)?.declarations) || []
    if (declaration && /\/lib\.dom\./.test(declaration.getSourceFile().fileName)) {
      const owner = (declaration.parent as { name?: ts.Identifier }).name?.text
      found.add(`${owner ? `${owner}.` : ''}${(node as ts.Identifier).text}`)
    }
    ts.forEachChild(node, visit)
  }
  for (const file of program.getSourceFiles()) if (!file.isDeclarationFile) visit(file)
  return [...found].sort()
}

t.test('the README lists the functions of the platform that the client calls', async t => {
  const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8')
  const [table = ''] = /\| of the platform.*?\n\n/s.exec(readme) ?? []
  const listed = table
    .split('\n')
    .flatMap(line => [...(line.split('|')[1] ?? '').matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name))
  t.same(calledOfPlatform('sdk/src/index.ts'), listed.sort())
})
