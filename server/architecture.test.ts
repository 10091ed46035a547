import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Assertions, testRule } from './verify/support/test-rule.ts'

// Checks the architecture by the import statements of all source files. Tests and their support are exempt.

const root = fileURLToPath(new URL('..', import.meta.url))

interface Source {
  /** Relative to the root, such as `server/src/tokens/create.ts`. */
  readonly path: string
  /** Imported files of the repository, relative to the root. */
  readonly ours: readonly string[]
  /** Imported packages and modules of Node. */
  readonly foreign: readonly string[]
}

const importStatement = /^\s*(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm

function* walk(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    if (['node_modules', 'dist', 'generated', '.tap'].includes(name)) continue
    const path = join(folder, name)
    if (statSync(path).isDirectory()) yield* walk(path)
    else if (/\.(tsx?|mjs|js)$/.test(name)) yield path
  }
}

function read(path: string): Source {
  const specifiers = [...readFileSync(path, 'utf8').matchAll(importStatement)].map(
    match => match[1] ?? match[2] ?? '',
  )
  return {
    path: relative(root, path),
    ours: specifiers
      .filter(one => one.startsWith('.'))
      .map(one => relative(root, resolve(dirname(path), one))),
    foreign: specifiers.filter(one => !one.startsWith('.')),
  }
}

const outside = [
  /\.(test|cases|model|samples)\.ts$/,
  /^server\/verify\//,
  /\/_[^/]+\.ts$/,
  /^sdk\/(examples\/|testing\/|openapi-ts\.)/,
  // A page for browsers.
  /^server\/src\/http\/docs\//,
]
const sources = ['server', 'sdk', 'conformance']
  .flatMap(folder => [...walk(join(root, folder))])
  .map(read)
  .filter(source => !outside.some(pattern => pattern.test(source.path)))

const within = (folder: string) => (source: Source) => source.path.startsWith(folder)
const server = sources.filter(within('server/'))

/** Checks that only files under `allowed` import packages that match. */
function onlyIn(t: Assertions, library: RegExp, ...allowed: string[]): void {
  const users = server.filter(source => source.foreign.some(one => library.test(one)))
  t.ok(users.length > 0, `${library} is used, so that this rule has an effect`)
  for (const user of users) {
    t.ok(
      allowed.some(folder => user.path.startsWith(folder)),
      `${user.path} imports ${library}, which only ${allowed.join(', ')} may know`,
    )
  }
}

testRule('the sources are found', async t => {
  t.ok(server.length > 60, `${server.length} files of the server`)
  for (const source of sources) {
    for (const target of source.ours) {
      const made = target.includes('/generated/') || target.includes('/dist/')
      t.ok(made || existsSync(join(root, target)), `${source.path} imports ${target}`)
    }
  }
})

testRule('each library is imported by one folder only', async t => {
  onlyIn(t, /^liquidjs/, 'server/src/expressions/')
  onlyIn(t, /^lucene$/, 'server/src/search/')
  onlyIn(t, /^decimal\.js/, 'server/src/expressions/')
  onlyIn(t, /^(openapi-backend|ajv)/, 'server/src/contract/')
  onlyIn(t, /^ipaddr\.js$/, 'server/src/egress/')
  onlyIn(t, /^proxy-addr$/, 'server/src/http/transport/')
  onlyIn(t, /^level$/, 'server/src/storage/engines/level/')
  onlyIn(t, /^pg(-|$)/, 'server/src/storage/engines/postgres/')
  onlyIn(t, /^node:crypto$/, 'server/src/crypto/', 'server/src/base/random.ts', 'server/src/sandbox/child/')
  onlyIn(t, /^buffer\//, 'server/src/sandbox/child/inside/')
  onlyIn(t, /^(ses|node:vm)$/, 'server/src/sandbox/child/')
  onlyIn(t, /^acorn$/, 'server/src/sandbox/modules/rewrite.ts')
  onlyIn(t, /^yaml$/, 'server/src/options/profile.ts', 'server/scripts/')
  onlyIn(t, /^esbuild$/, 'server/src/sandbox/modules/', 'server/scripts/')
  onlyIn(
    t,
    /^node:child_process$/,
    'server/src/options/master-key-variables.ts',
    'server/src/sandbox/processes/empty-root.ts',
    'server/src/sandbox/processes/find-node.ts',
    'server/src/sandbox/processes/launch.ts',
    'server/src/sandbox/processes/os-process.ts',
    'server/src/sandbox/processes/runner.ts',
    'server/scripts/',
  )
  onlyIn(t, /^(prom-client|@opentelemetry\/)/, 'server/src/observe/')
  onlyIn(t, /^preact/, 'server/src/dev/page/')
  onlyIn(t, /^msw$/, 'server/src/testing/msw.ts')
  const wire = ['listener', 'wire-request', 'write-response'].map(
    name => `server/src/http/transport/${name}.ts`,
  )
  onlyIn(t, /^node:http$/, ...wire, 'server/src/egress/network.ts')
  onlyIn(t, /^node:https$/, 'server/src/egress/network.ts')
  onlyIn(t, /^node:dns/, 'server/src/egress/resolve.ts')
})

testRule('only one file opens connections to the outside', async t => {
  const opens =
    /import \{[^}]*\b(request|get|connect|createConnection)\b[^}]*\} from 'node:(https?|http2|net|tls|dgram)'/
  const users = server
    .filter(within('server/src/'))
    .filter(({ path }) => opens.test(readFileSync(join(root, path), 'utf8')))
  const paths = users.map(({ path }) => path)
  t.same(paths, ['server/src/egress/network.ts'])
})

testRule('the server takes timers and clocks from one module: fake timers do not stop it', async t => {
  const used = /(?<![\w.'])(set(Timeout|Interval|Immediate)\(|Date\.now\b|performance\.now\b)/
  // Programs of their own, code that has its own clock, and a page for browsers.
  const exempt = /^server\/src\/(base\/time\/real-time\.ts$|sandbox\/child\/|dev\/page\/|generated)/
  for (const { path, ours } of server.filter(within('server/src/'))) {
    if (exempt.test(path)) continue
    const code = readFileSync(join(root, path), 'utf8').replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '')
    const match = used.exec(code)
    t.ok(!match || ours.includes('server/src/base/time/real-time.ts'), `${path}: ${match?.[0]}`)
    t.notMatch(code, /\b(Date|performance)\.now\b/, path)
  }
})

/** The order of folders: each imports from itself and from those before it. Files outside of them assemble a server. */
const rooms = [
  ...[
    'base',
    'observe',
    'crypto',
    'contract',
    'storage',
    'audit',
    'access',
    'expressions',
    'egress',
    'sandbox',
    'search',
  ],
  ...['tokens', 'sessions', 'formulas', 'webhooks', 'reactors', 'proxy', 'retention', 'http'],
  ...['options', 'dev'],
]
/** These put a server together from the rooms, and may import from all of them. */
const builders = ['assembly', 'testing', 'program']
/** Code and data generated from the contract, and their location: before all rooms. */
const generated = /^server\/src\/generated(-files\.ts$|\/)/

const roomOf = (path: string) => /^server\/src\/([^/]+)\//.exec(path)?.[1]

testRule('each folder imports only from itself and those before it', async t => {
  for (const room of rooms) t.ok(server.some(within(`server/src/${room}/`)), `there is ${room}/`)
  const known = new Set([...rooms, ...builders])
  for (const source of server) {
    const own = roomOf(source.path)
    if (own === undefined) continue
    t.ok(known.has(own), `${own}/ is in the order of folders`)
    if (!rooms.includes(own)) continue
    for (const target of source.ours.filter(path => !generated.test(path))) {
      const other = rooms.indexOf(roomOf(target) ?? '')
      t.ok(other >= 0 && other <= rooms.indexOf(own), `${source.path} imports ${target}`)
    }
  }
})

testRule('only what puts a server together reads options', async t => {
  const readers = ['options', 'dev', ...builders]
  const isReader = ({ path }: Source) => readers.includes(roomOf(path) ?? 'assembly')
  const reads = ({ ours }: Source) => ours.some(target => roomOf(target) === 'options')
  const users = server.filter(within('server/src/')).filter(reads)
  t.ok(users.length > 10, `${users.length} files read options`)
  for (const user of users) t.ok(isReader(user), `${user.path} reads options`)
})

testRule('the README lists the same folders in the same order', async t => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const drawn = /^base\/[^`]*(?=```)/m.exec(readme)?.[0] ?? ''
  t.same(drawn.match(/^[a-z]+(?=\/)/gm), [...rooms, ...builders])
})

testRule('the domain does not import storage engines', async t => {
  for (const source of server.filter(({ path }) => roomOf(path) !== 'storage')) {
    for (const target of source.ours) {
      const room = roomOf(source.path)
      if (room === undefined || builders.includes(room)) continue
      t.notMatch(target, /^server\/src\/storage\/(engines\/|open\.ts)/, source.path)
    }
  }
})

/** The order within storage/: the port first, then the files at the top, and `open.ts` last, as it knows the engines. */
const storageRooms = ['port', '', 'index', 'keys', 'records', 'engines', 'transfer', 'open.ts']

testRule('within storage each folder imports only from itself and those before it', async t => {
  const rankOf = (path: string) => {
    const [, folder, open] = /^server\/src\/storage\/(?:(\w+)\/|(open\.ts)$)?/.exec(path) ?? []
    return storageRooms.indexOf(folder ?? open ?? '')
  }
  for (const source of server.filter(within('server/src/storage/'))) {
    for (const target of source.ours.filter(path => roomOf(path) === 'storage')) {
      t.ok(rankOf(target) >= 0, `${target} has its place in the order`)
      t.ok(rankOf(target) <= rankOf(source.path), `${source.path} imports ${target}`)
    }
  }
})

/** Files of storage that engines import. */
const sharedByEngines = [
  'port/port.ts',
  'port/kinds.ts',
  'port/collection.ts',
  'port/decide.ts',
  'port/commit-queue.ts',
  'port/matches.ts',
  'index/',
]

testRule('an engine imports the port and the index, and nothing of the domain', async t => {
  for (const engine of ['memory', 'level', 'postgres']) {
    const own = `server/src/storage/engines/${engine}/`
    const shared = sharedByEngines.map(name => `server/src/storage/${name}`)
    t.ok(server.some(within(own)), `${own} is there`)
    for (const source of server.filter(within(own))) {
      for (const target of source.ours) {
        const isAllowed = [own, 'server/src/base/', ...shared].some(allowed => target.startsWith(allowed))
        t.ok(isAllowed, `${source.path} imports ${target}`)
      }
    }
  }
})

testRule('only open.ts imports engines, and only the assembly imports open.ts', async t => {
  for (const source of server) {
    for (const target of source.ours) {
      if (
        /^server\/src\/storage\/engines\/(level|memory|postgres)\//.test(target) &&
        !/^server\/src\/storage\/engines\/(level|memory|postgres)\//.test(source.path)
      )
        t.equal(source.path, 'server/src/storage/open.ts', `${source.path} imports ${target}`)
      if (target === 'server/src/storage/open.ts')
        t.match(source.path, /^server\/src\/(index\.ts$|(assembly|program)\/)/)
    }
  }
})

testRule('the programs of the sandbox are separate from the server', async t => {
  const child = server.filter(within('server/src/sandbox/child/'))
  t.ok(child.length > 10)
  for (const source of child) {
    t.match(source.path, /\.child\.ts$/)
    for (const target of source.ours) {
      t.match(
        target,
        /^server\/src\/(sandbox\/(child\/|protocol\/(frames|messages)\.ts$|modules\/(module-names|rewrite)\.ts$)|generated\/facts\.ts$)/,
        `${source.path} imports ${target}`,
      )
    }
    if (!source.path.includes('/inside/')) continue
    const ofNode = source.foreign.filter(one => !one.startsWith('buffer/'))
    t.same(ofNode, [], `${source.path} imports nothing of Node`)
  }
  for (const source of server.filter(source => !child.includes(source))) {
    for (const target of source.ours) t.notMatch(target, /^server\/src\/sandbox\/child\//, source.path)
  }
})

testRule('handlers call the domain, never the store', async t => {
  const handlers = server.filter(within('server/src/http/handlers/'))
  t.ok(handlers.length > 2)
  for (const source of handlers) {
    for (const target of source.ours) t.notMatch(target, /^server\/src\/storage\//, source.path)
  }
})

testRule('the three packages do not import each other, and the SDK imports nothing', async t => {
  for (const source of sources) {
    const own = source.path.split('/')[0]
    for (const target of source.ours) {
      if (target.startsWith('..')) continue
      t.equal(target.split('/')[0], own, `${source.path} imports ${target}`)
    }
  }
  for (const source of sources.filter(within('sdk/src/'))) t.same(source.foreign, [], source.path)
})

testRule('there are no cycles', async t => {
  const byPath = new Map(sources.map(source => [source.path, source]))
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
      return
    }
    if (done.has(path)) return
    for (const target of byPath.get(path)?.ours ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of byPath.keys()) visit(path, [])
  t.same(cycles, [])
})

/** The rooms that a production server consists of, once its options are read. */
const production = rooms.filter(room => room !== 'dev' && room !== 'options')
const codeOf = ({ path }: Source) => withoutComments(readFileSync(join(root, path), 'utf8'))

testRule('rooms know nothing of development servers', async t => {
  // Operations of these servers are in the contract, too; files of the system are below /dev.
  const knowing = /(?<![/\w-])dev\b/
  t.match("if (services.dev) use('dev.tenants')", knowing, 'the control')
  t.notMatch('ls 2>/dev/null', knowing)
  for (const source of server.filter(({ path }) => production.includes(roomOf(path) ?? ''))) {
    if (roomOf(source.path) !== 'contract') t.notMatch(codeOf(source), knowing, source.path)
    for (const target of source.ours) t.notMatch(target, /^server\/src\/dev\//, source.path)
  }
})

/** Interfaces that something else can be put in the place of, or around. */
const ports = [
  ...['Engine', 'TestEngine', 'Clock', 'MovableClock', 'Random', 'Observer', 'ObservedRequest', 'Sandbox'],
  ...['Jobs', 'Performer', 'ProxyRoute', 'Translator', 'CoreRequest', 'Around', 'Interruption', 'Health'],
]

testRule('ports have no optional members, and no interface of a room has an optional method', async t => {
  const found = new Set<string>()
  const optional = /^ {2}(readonly )?\w+\?[:(]/m
  for (const source of server.filter(within('server/src/'))) {
    for (const [, name = '', members = ''] of codeOf(source).matchAll(
      /^export interface (\w+)[^{]*\{\n(.*?)^\}/gms,
    )) {
      if (!ports.includes(name)) continue
      found.add(name)
      // Of a request, what it may lack is a fact about it.
      const own = members.replaceAll(/^ {2}readonly (peer|delegation)\?:/gm, '')
      t.notMatch(own, optional, `${name} in ${source.path}`)
    }
    if (rooms.includes(roomOf(source.path) ?? ''))
      t.notMatch(codeOf(source), /^ {2}\w+\?(<\w+>)?\(/m, source.path)
  }
  t.same([...found].sort(), [...ports].sort(), 'all of them are there')
})

testRule('no interface is a context, from which everything can be had', async t => {
  const context = /^(export )?interface \w*Context\b/m
  t.match('export interface TokensContext {', context, 'the control')
  for (const source of server.filter(({ path }) => [...rooms, 'assembly'].includes(roomOf(path) ?? '')))
    t.notMatch(codeOf(source), context, source.path)
})

testRule('a name of a type that files export has one meaning', async t => {
  // Programs of their own, and the names of the contract, which callers see.
  const apart = /\.child\.ts$|^server\/src\/(dev\/page\/|contract\/types\.ts$)/
  const files = new Map<string, string[]>()
  for (const source of server.filter(({ path }) => path.startsWith('server/src/') && !apart.test(path))) {
    for (const [, name = ''] of codeOf(source).matchAll(
      /^export (?:abstract )?(?:interface|type|class) (\w+)/gm,
    ))
      files.set(name, [...(files.get(name) ?? []), source.path])
  }
  t.ok(files.size > 300, `${files.size} names`)
  for (const [name, paths] of files) t.equal(paths.length, 1, `${name} is in ${paths.join(', ')}`)
})

testRule('files have a limited length', async t => {
  for (const source of sources) {
    const lines = readFileSync(join(root, source.path), 'utf8').split('\n').length
    t.ok(lines <= 400, `${source.path} has ${lines} lines`)
  }
})

testRule('only the engines, and what locates and opens them, name an engine', async t => {
  const naming = /'(?:level|postgres)'|\b(?:level:[<./]|postgres(?:ql)?:)|LevelDB|PostgreSQL/
  const named = server
    .map(({ path }) => path)
    .filter(path => path.startsWith('server/src/'))
    .filter(path => naming.test(withoutComments(readFileSync(join(root, path), 'utf8'))))
  const left = named.filter(path => !path.startsWith('server/src/storage/engines/'))
  t.same(left, ['server/src/storage/location.ts', 'server/src/storage/open.ts'])
})

const withoutComments = (text: string) => text.replaceAll(/\/\*\*?[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
