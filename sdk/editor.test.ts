// What an editor shows while somebody writes a call of the client: types, completions and complaints.
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = fileURLToPath(new URL('src/in-the-editor.ts', import.meta.url))
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root)

let text = ''
let version = 0
const service = ts.createLanguageService({
  getScriptFileNames: () => [file],
  getScriptVersion: name => (name === file ? String(version) : '0'),
  getScriptSnapshot: name => {
    const found = name === file ? text : ts.sys.readFile(name)
    return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found)
  },
  getCurrentDirectory: () => root,
  getCompilationSettings: () => ({ ...options, types: [], noUnusedLocals: false }),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: name => name === file || ts.sys.fileExists(name),
  readFile: ts.sys.readFile,
})

/** Puts a call into the editor. `|` is the place of the cursor. */
function write(call: string): number {
  const given = `import type { Dev } from './dev/index.ts'\nimport type { Surrogate } from './index.ts'`
  const all = `${given}\ndeclare const dev: Dev\ndeclare const surrogate: Surrogate\n${call}`
  const at = all.indexOf('|', all.indexOf(call))
  text = at < 0 ? all : all.slice(0, at) + all.slice(at + 1)
  version++
  return at
}

const hover = (call: string) => {
  const shown = service.getQuickInfoAtPosition(file, write(call))
  return ts.displayPartsToString(shown?.displayParts).replaceAll(/\s+/g, ' ')
}
const completions = (call: string) =>
  service.getCompletionsAtPosition(file, write(call), {})?.entries.map(({ name }) => name) ?? []
const complaints = (call: string) => {
  write(call)
  return service
    .getSemanticDiagnostics(file)
    .map(({ messageText, start = 0, length = 0 }) => [
      text.slice(start, start + length),
      ts.flattenDiagnosticMessageText(messageText, ' '),
    ])
}

t.test('create shows one type, with the token that it returns', async t => {
  t.equal(
    hover("surrogate.tokens.cre|ate({ type: 'card', data: { number: '4' } })"),
    '(method) Tokens.create<"card", { number: string; }>(body: NewToken<"card", { number: string; }>, options?: RequestOptions): Call<Token<CardData, "card">>',
  )
  t.match(
    hover("surrogate.tokens.cre|ate({ type: 'token', data: { a: 1 } })"),
    /Call<Token<\{ a: number; \}, "token">>$/,
  )
  t.match(
    hover("surrogate.tokens.g|et('an-id')"),
    /\(id: string, options\?: RequestOptions\): Call<AnyToken>$/,
  )
})

t.test('the type of a new token is completed after its data, and its data after its type', async t => {
  const types = completions("surrogate.tokens.create({ data: { number: '4' }, type: '|' })")
  t.ok(types.includes('card') && types.includes('social_security_number'), types.join())
  t.same(completions("surrogate.tokens.create({ type: 'card', data: { | } })").sort(), [
    'cvc',
    'expiration_month',
    'expiration_year',
    'number',
  ])
  const members = completions("surrogate.tokens.create({ type: 'card', data: { number: '4' }, | })")
  for (const name of ['metadata', 'containers', 'mask', 'expires_at']) t.ok(members.includes(name), name)
})

t.test('operations are completed where a test names them', async t => {
  for (const call of [
    'faults.next({ operation: ',
    'requests.assertNone({ operation: ',
    'requests.list({ operation: ',
  ])
    for (const name of ['tokens.create', 'proxy.post'])
      t.ok(completions(`dev.${call}'|' })`).includes(name), `${call}${name}`)
})

t.test('a mistake is shown where it is, in one sentence about it', async t => {
  const cases: readonly [call: string, where: string, says: RegExp][] = [
    [
      "tokens.create({ type: 'card', data: { expiration_month: 1 } })",
      'data',
      /^Property 'number' is missing/,
    ],
    [
      "tokens.create({ type: 'card', data: { number: '4', name: '' } })",
      'name',
      /'name' does not exist in type 'CardData'/,
    ],
    [
      "tokens.create({ type: 'crad', data: { number: '4' } })",
      'type',
      /'"crad"' is not assignable to type 'TokenType'/,
    ],
    [
      "tokens.create({ type: 'card', data: { number: '4' }, metadat: {} })",
      'metadat',
      /Did you mean to write 'metadata'/,
    ],
    ["tokens.create({ data: { number: '4' } })", "{ data: { number: '4' } }", /Property 'type' is missing/],
    ["tokens.update('an-id', { dta: 1 })", 'dta', /Did you mean to write 'data'/],
    ['tokens.get(1)', '1', /'number' is not assignable to parameter of type 'string'/],
    ["tokens.list({ typ: ['card'] })", 'typ', /Did you mean to write 'type'/],
    ["tokens.search({ qery: '' })", 'qery', /Did you mean to write 'query'/],
  ]
  for (const [call, where, says] of cases) {
    const found = complaints(`surrogate.${call}`)
    t.equal(found.length, 1, call)
    t.equal(found[0]?.[0], where, call)
    t.match(found[0]?.[1], says)
    t.notMatch(found[0]?.[1], /No overload/)
  }
  t.same(complaints("surrogate.tokens.create({ type: 'card', data: { number: '4' } })"), [], 'control')
})
