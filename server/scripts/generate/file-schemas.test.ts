import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import t from 'tap'
import { backend, file, good, ids, malformed, management } from '../../src/access/bootstrap.cases.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json/json.ts'
import { formats } from '../../src/contract/formats.ts'
import { generatedFiles } from '../../src/generated-files.ts'
import { withProfile } from '../../src/options/profile.ts'
import { createVault } from '../../src/vault.ts'

/** An editor knows no formats of ours; here they are checked, so that nothing else hides a difference. */
const ajv = new Ajv({
  strict: false,
  formats: Object.fromEntries(Object.entries(formats).map(([name, { test }]) => [name, test])),
})
const compile = (name: string) =>
  ajv.compile(JSON.parse(readFileSync(new URL(`schemas/${name}.schema.json`, generatedFiles), 'utf8')))
const [isBootstrap, isProfile] = [compile('bootstrap'), compile('profile')]

async function startsWith(bootstrap: JsonValue): Promise<boolean> {
  const vault = createVault({ bootstrap, dev: true })
  const starts = await vault.ready().then(
    () => true,
    () => false,
  )
  await vault.close()
  return starts
}

/** Rules between several parts of the file, which a schema cannot express. */
const between = ['tenant twice', 'application twice', 'key twice', 'one priority twice']

t.test('the schema of the bootstrap file refuses what the server refuses', async t => {
  t.ok(isBootstrap(good), JSON.stringify(isBootstrap.errors))
  t.ok(isBootstrap({ $schema: './bootstrap.schema.json', tenants: [] }))
  t.ok(await startsWith({ $schema: './bootstrap.schema.json', tenants: [] }), '$schema is accepted')
  for (const [name, bootstrap] of malformed)
    t.equal(
      isBootstrap(bootstrap),
      between.includes(name),
      `${name}: ${JSON.stringify(bootstrap).slice(0, 200)}`,
    )
})

const formula = { id: '5b493235-6917-4307-906a-2cd6f1a90b20', name: 'F', type: 'private', code: '' }
const whole = file([management, backend, { id: ids.other, removed: true }], {
  name: 'Shop',
  operator: true,
  formulas: [{ ...formula, created_by: backend.id, request_parameters: [{ name: 'a', type: 'string' }] }],
  reactors: [
    {
      id: '5b493235-6917-4307-906a-2cd6f1a90b21',
      name: 'R',
      formula: { id: formula.id },
      application: { id: backend.id },
    },
  ],
  tokens: [
    {
      id: 'a-card',
      type: 'card',
      data: { number: '4242424242424242' },
      metadata: { a: 'b' },
      containers: ['/a/'],
    },
  ],
}) as JsonObject

type Path = readonly (string | number)[]

function pathsOf(value: JsonValue, path: Path = []): Path[] {
  const members = Array.isArray(value)
    ? [...value.entries()]
    : isJsonObject(value)
      ? Object.entries(value)
      : []
  return [path, ...members.flatMap(([name, member]) => pathsOf(member, [...path, name]))]
}

/** Returns a copy with another value at a path, or without it. */
function altered(value: JsonValue, path: Path, other: JsonValue | undefined): JsonValue {
  const [name, ...rest] = path
  if (name === undefined) return other ?? null
  const copy = structuredClone(value) as Record<string | number, JsonValue>
  if (rest.length > 0) copy[name] = altered(copy[name] ?? null, rest, other)
  else if (other !== undefined) copy[name] = other
  else if (Array.isArray(copy)) copy.splice(Number(name), 1)
  else delete copy[name]
  return copy as JsonValue
}

const others: readonly (JsonValue | undefined)[] = [
  undefined,
  null,
  0,
  1.5,
  '',
  'x',
  'https://a.test',
  true,
  [],
  {},
]

/** What the server refuses for a reason that no schema of the file can know: something that is not there. */
const isAboutAnother = /\.(created_by|configuration|id|applications|formulas|applications\.1|formulas\.0)$/

t.test('the schema refuses nothing that the server accepts, and what it refuses for its form', async t => {
  t.ok(isBootstrap(whole) && (await startsWith(whole)), 'control')
  const differences: string[] = []
  let [tried, accepted] = [0, 0]
  const compare = async (path: Path, bootstrap: JsonValue) => {
    const [bySchema, byServer] = [isBootstrap(bootstrap), await startsWith(bootstrap)]
    tried++
    if (byServer) accepted++
    const isKnown = bySchema && !byServer && isAboutAnother.test(path.join('.'))
    if (bySchema !== byServer && !isKnown)
      differences.push(`${path.join('.')}: schema ${bySchema}, server ${byServer}`)
  }
  for (const path of pathsOf(whole).slice(1)) {
    for (const other of others) await compare(path, altered(whole, path, other))
    const last = path.at(-1)
    if (typeof last === 'string')
      await compare([...path.slice(0, -1), 'unknown'], altered(whole, [...path.slice(0, -1), 'unknown'], 1))
  }
  t.same([...new Set(differences)], [])
  t.ok(tried > 500 && accepted > 50, `${tried} tried, ${accepted} accepted`)
})

t.test('the schema of a profile is what the server accepts', async t => {
  const folder = t.testdir()
  const profiles: readonly JsonValue[] = [
    {},
    { $schema: './profile.schema.json' },
    { header_prefix: 'ACME', modules: { a: 'b' }, client: './c.cjs', permissions: ['report:read'] },
    { origins: { 'https://api.example.com': 'http://127.0.0.1:9000' }, dialects: ['card-dates-as-text'] },
    {
      dialects: ['camel-case-members', 'privacy', 'problems-as-json', 'unknown-permissions'],
    },
    ...['1-2', '', 'A'.repeat(33), 1, null].map(header_prefix => ({ header_prefix })),
    ...[['a'], { a: 1 }, null, 'a'].map(modules => ({ modules }) as JsonObject),
    ...[1, null, {}].map(client => ({ client })),
    ...[
      'https://a.test/',
      'https://A.test',
      'a.test',
      'https://a.test/path',
      'mailto:a@b',
      'https://u@a.test',
    ].flatMap(text => [{ origins: { [text]: 'http://b.test' } }, { origins: { 'http://b.test': text } }]),
    { proxy_allow_origins: ['https://a.test'], proxy_map_origins: { 'https://a.test': 'http://b.test' } },
    ...[['a.test'], 'https://a.test', [1], null].map(
      origins => ({ proxy_allow_origins: origins }) as JsonObject,
    ),
    ...[['a'], { a: 'b' }, null].map(origins => ({ proxy_map_origins: origins }) as JsonObject),
    ...[true, false, 'yes', null].map(allowed => ({ allow_private_callbacks: allowed })),
    ...[['klingon'], 'a', [1], null].map(dialects => ({ dialects }) as JsonObject),
    ...[['a b'], [''], [1], null, ['a'.repeat(101)]].map(permissions => ({ permissions }) as JsonObject),
    { response_headers: { 'X-Version': '1', 'x-other': 'a b' }, log_entity_types: { token: 'vault-token' } },
    ...[{ via: 'a' }, { 'x-a': '' }, { 'x-a': ' b' }, { 'x-a': 1 }, ['x-a'], null].map(
      headers => ({ response_headers: headers }) as JsonObject,
    ),
    ...[{ tokens: 'a' }, { token: 'a b' }, { token: 1 }, [], null].map(
      types => ({ log_entity_types: types }) as JsonObject,
    ),
    { module: {} },
    { unknown: 1 },
    [],
    null,
    'text',
  ]
  let accepted = 0
  for (const [at, profile] of profiles.entries()) {
    const path = join(folder, `${at}.yaml`)
    writeFileSync(path, JSON.stringify(profile))
    let byServer = true
    try {
      withProfile({ profile: path })
      accepted++
    } catch {
      byServer = false
    }
    t.equal(isProfile(profile), byServer, JSON.stringify(profile))
  }
  t.ok(accepted >= 5 && accepted < profiles.length / 2)
})
