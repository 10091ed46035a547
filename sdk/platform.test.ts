// Which functions of the platform the client calls: those that its README lists, and no newer ones.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
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

/** Functions of older runtimes: without what was added to them since. */
const older = {
  URL: function OlderUrl(url: string) {
    return new URL(url)
  },
  AbortController: function OlderController() {
    const controller = new AbortController()
    Object.defineProperty(controller.signal, 'throwIfAborted', { value: undefined })
    return controller
  },
  // Not in pages loaded over plain http: `randomUUID`.
  crypto: {
    subtle: crypto.subtle,
    getRandomValues: (array: Uint32Array<ArrayBuffer>) => crypto.getRandomValues(array),
  },
}

t.test('they are enough: the client works where there is nothing else', async t => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('src/index.ts', import.meta.url))],
    ...{ bundle: true, write: false, format: 'iife', globalName: 'sdk', target: 'es2022' },
  })
  const sent: string[] = []
  const respond = async (url: string, { signal }: { signal: AbortSignal }) => {
    sent.push(url)
    if (url.endsWith('/silent'))
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const isList = /tokens(\?|$)/.test(url) && !url.includes('page=')
    const pagination = { total_items: 1, page_number: 1, page_size: 1, total_pages: 1 }
    const body = url.endsWith('/none')
      ? undefined
      : isList
        ? { pagination, data: [{ id: 'a' }] }
        : { id: 'a' }
    return {
      status: body ? 200 : 404,
      headers: { get: () => null },
      text: async () => JSON.stringify(body ?? {}),
    }
  }
  const given = { ...older, URLSearchParams, TextEncoder, TextDecoder, atob, btoa, setTimeout, clearTimeout }
  const context = createContext({ ...given, console: { warn() {} }, fetch: respond })
  const code = `${outputFiles[0]?.text}
  ;(async () => {
    const surrogate = new sdk.Surrogate({ apiKey: 'key', baseUrl: 'http://vault.test/a/' })
    await surrogate.tokens.create({ type: 'token', data: 1 })
    const ids = []
    for await (const { id } of surrogate.tokens.list({ type: ['card'] })) ids.push(id)
    const missing = await surrogate.tokens.get('none').catch(error => error)
    const controller = new AbortController()
    controller.abort('gone')
    const gone = await surrogate.tokens.get('a', { signal: controller.signal }).catch(reason => reason)
    const late = await surrogate.tokens.get('silent', { timeout: 1, maxRetries: 0 }).catch(error => error.name)
    const secret = 'whsec_' + btoa('a secret')
    const raw = await sdk.webhooks.verify('{"raw":1}', await sdk.webhooks.sign('{"raw":1}', secret), secret)
    let refused
    try { new sdk.Surrogate({ apiKey: 'key', baseUrl: 'no url' }) } catch (error) { refused = error.message }
    return JSON.stringify({ ids, missing: missing.name, gone, late, raw, refused })
  })()`
  t.same(JSON.parse(await runInContext(code, context)), {
    ids: ['a'],
    missing: 'NotFoundError',
    gone: 'gone',
    late: 'TimeoutError',
    raw: { raw: 1 },
    refused: 'baseUrl must be an http(s) URL without credentials, query and fragment',
  })
  t.equal(sent.length, 4)
})
