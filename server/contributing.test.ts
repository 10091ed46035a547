import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

// Follows the lists of CONTRIBUTING.md by their examples: each file is there, and has what the list says of it.

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const [, section = ''] = /^## Add something\n(.*?)^## /ms.exec(read('CONTRIBUTING.md')) ?? []
const [, ...lists] = section.split(/^\*\*(?=An? )/m)
const quoted = (line: string) => [...line.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
const isPath = (text: string) => /^[\w./-]+(\.(ts|md|yaml)|\/src\/dev)$/.test(text)

t.test('each list has five lines', async t => {
  const found = lists.map(list => /^\w+ ([\w ]+)\./.exec(list)?.[1])
  t.same(found, ['verb', 'option', 'event for tests', 'room'])
  for (const list of lists) t.same(list.match(/^\d/gm), ['1', '2', '3', '4', '5'])
})

t.test('what a list names is where it says', async t => {
  for (const list of lists) {
    for (const line of list.match(/^\d\. .*$/gm) ?? []) {
      for (const path of quoted(line).filter(isPath)) t.ok(existsSync(join(root, path)), path)
      // `name` in `file`
      for (const [, name = '', path = ''] of line.matchAll(/`([^`]+)`,? in `([^`]+)`/g)) {
        if (/\.\w+$/.test(path)) t.match(read(path), new RegExp(`(?<!\\w)${name}\\b`), `${name} in ${path}`)
      }
    }
  }
})

t.test('the examples are followed to their end', async t => {
  const steps: readonly (readonly [path: string, text: RegExp])[] = [
    ['openapi.yaml', /operationId: jobs\.cancel/],
    ['server/src/http/handlers/operations.ts', /'jobs\.cancel': .*\n?.*cancelJob\(webhooks\.of\(caller\)/],
    ['conformance/requirements.yaml', /id: INV-547/],
    ['server/src/options/vault-options.ts', /^ {2}readonly strict\?: boolean/m],
    ['server/src/options/table.ts', /^ {2}strict: /m],
    ['server/guide/configure.md', /^\| `--strict` \|/m],
    ['server/src/tokens/token-parts.ts', /emptyMask = new Channel</],
    ['server/src/tokens/show.ts', /emptyMask\.isHeard[\s\S]*emptyMask\.publish\(/],
    ['server/src/assembly/development.ts', /emptyMask\.listen\(/],
    ['openapi.yaml', /^ +masks:$/m],
    [
      'server/src/assembly/assemble.ts',
      /const sessions = new Sessions\(\{[\s\S]*const rooms = \{[^}]*sessions/,
    ],
    ['server/src/http/handlers/rooms.ts', /readonly sessions: Sessions/],
  ]
  for (const [path, text] of steps) t.match(read(path), text, path)
})

t.test('the picture in the README is the page that builds a server', async t => {
  const [, picture = ''] = /is built on one page[\s\S]*?```\n([\s\S]*?)```/.exec(read('README.md')) ?? []
  const page = read('server/src/assembly/assemble.ts')
  const build = page.slice(page.indexOf('async function build('))
  const drawn = ['sessions', 'applications', 'tenants', 'auditLog', 'expressions', 'tokens', 'sandbox']
  const all = [
    ...drawn,
    'webhooks',
    'formulas',
    'reactors',
    'requestProxy',
    'openTenancy',
    'createHttp',
    'sweeper',
  ]
  const positions = (text: string, find: (name: string) => string) =>
    all.map(name => text.search(new RegExp(find(name))))
  for (const at of positions(picture, name => `\\b${name}\\b`)) t.ok(at >= 0, 'is drawn')
  const built = positions(build, name => (/^(open|create)/.test(name) ? `${name}\\(` : `const ${name}\\b`))
  for (const [at, position] of built.entries()) t.ok(position >= 0, `${all[at]} is built`)
  const inOrder = (positions: number[]) =>
    all.map((_, at) => at).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0))
  t.same(
    inOrder(built).map(at => all[at]),
    inOrder(positions(picture, name => `\\b${name}\\b`)).map(at => all[at]),
    'in the order of the picture',
  )
})
