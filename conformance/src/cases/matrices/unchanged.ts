import { cases, marked, type Row } from '../../harness/case.ts'
import type { Context } from '../../harness/context.ts'
import { times } from '../values.ts'
import type { Cell } from './cell.ts'
import { type Shown, ways } from './ways.ts'

const large = [9007199254740991, -9007199254740991, 1234567890123456, 4294967296, -2147483649, 0]

/** Data that stores, encodings and forms like to change. */
const values: Readonly<Record<string, unknown>> = {
  'text-of-256': `${'x'.repeat(255)}y`,
  'text-of-65536': `${'0123456789abcdef'.repeat(4095)}${'z'.repeat(16)}`,
  blanks: { leading: '  a', trailing: 'a \t', only: ' ', lines: '\na\n', wide: ' a' },
  markup: { tags: '<b>a</b>', signs: 'a<b&c', entity: '&amp;', quotes: `"'\`` },
  escapes: {
    backslash: 'a\\nb',
    percent: '%20%',
    plus: 'a+b',
    template: '{{ a }} $\u007ba} {% b %}',
    sql: `'--`,
  },
  'line-ends': { windows: 'a\r\nb', mac: 'a\rb', unix: 'a\nb', separator: 'a\u2028b\u2029c' },
  'control-characters': times(0x1f, index => `a${String.fromCharCode(index + 1)}b`),
  composed: { text: 'Am\u00e9lie', hangul: '\ud55c' },
  decomposed: { text: 'Ame\u0301lie', hangul: '\u1112\u1161\u11ab' },
  'wide-characters': { emoji: '👩‍👩‍👧', mark: '\ufeffa', rtl: '\u202eabc', ligature: 'ﬁ', zero: 'a\u200bb' },
  'nested-empties': { list: [], object: {}, text: '', lists: [[], [[]]], objects: [{}, { a: {} }] },
  decimals: { nine: 0.123456789, many: [1.000000001, -0.000000001, 123456.789012345], small: 1e-9 },
  'large-integers': large,
  'null-inside': { none: null, list: [null, 1, null], deep: { none: null } },
  'many-members': Object.fromEntries(times(300, index => [`member_${index}`, index])),
  'order-of-lists': ['b', 'a', 'c', 'B', '10', '9', 'a'],
  'names-of-members': {
    '': 1,
    ' a ': 2,
    A: 3,
    a: 4,
    'a.b': 5,
    'a/b': 6,
    $ref: 7,
    é: 8,
    constructor: 9,
    '0': 10,
  },
  'texts-like-others': ['true', '1', '01', '1.0', 'null', '2020-01-01', '1e3', 'NaN'],
  deep: times(20, index => index).reduce<unknown>(inner => ({ a: [inner] }), 'end'),
}

/** Data up to limits that the specification leaves open. */
const wide: typeof values = {
  'text-of-500000': `${'0123456789abcdef'.repeat(31_249)}${'z'.repeat(16)}`,
  'empty-list': [],
  'empty-object': {},
  'zero-character': 'a\u0000b',
}

const members = (data: unknown, run: string) => ({ type: 'token', data, metadata: { run } })

/** How data is sent. Each returns the token under its own `run`, and all are made once for all ways to read it. */
const writes: Readonly<Record<string, (s: Context, data: unknown, run: string) => Promise<string>>> = {
  create: async (s, data, run) => (await s.token(members(data, run))).id,
  // A list replaces what is there, so that null inside the data stays.
  patch: async (s, data, run) => {
    const { id } = await s.token(members({ a: 1 }, run))
    await s.patch(id, { data: [data] })
    return id
  },
  tokenize: async (s, data, run) => {
    const body = [{ ...members(data, run), containers: [s.container] }]
    return s.success(await s.asPrivate('POST', '/tokenize', body), 200).body?.[0]?.id
  },
}

const written = (c: Context, how: string, name: string, data: unknown): Promise<Shown> => {
  const write = async (s: Context) => {
    const run = `${s.tag}${crypto.randomUUID().slice(0, 8)}`
    return { run, id: (await writes[how]?.(s, data, run)) ?? '' }
  }
  // Long texts are deleted after the case, or they would be in lists of others.
  return typeof data === 'string' && data.length > 1_000 ? write(c) : c.shared(`${how} ${name}`, write)
}

/** Reads data by a way, after it was sent in one. */
function cell(requirement: string, how: string, by: string, name: string, data: unknown): Row {
  const way = ways.find(one => one.name === by)
  if (!way) throw new Error(`no way ${by}`)
  const shown = how === 'create' ? by : how
  return [
    `${requirement}.${shown}-${name}${marked(way.needs)}: data comes back as it was sent by ${how}: ${name.replaceAll('-', ' ')} by ${way.title}`,
    async c => {
      const expected = how === 'patch' ? [data] : data
      const token = await written(c, how, name, data)
      const look = async () => {
        const seen = await way.look(c, c.asPrivate, token)
        if ('refused' in seen) c.success(seen.refused, undefined, way.title)
        return 'data' in seen ? digest(seen.data) : 'no token'
      }
      if (way.lags) await c.settles(look, digest(expected), `the data by ${way.title}`)
      else c.equal(await look(), digest(expected), `the data by ${way.title}`)
    },
  ]
}

/** Shortens long texts, so that a finding can be read: to their length, beginning and end. */
function digest(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= 300) return value
  return { length: value.length, first: value.slice(0, 20), last: value.slice(-20) }
}

const reads = ['get', 'list', 'search']
const cells = (requirement: string, how: string, by: readonly string[], all: typeof values) =>
  by.flatMap(name => Object.entries(all).map(([what, data]) => cell(requirement, how, name, what, data)))

/** Metadata and containers that are easily changed. */
const labels: Readonly<Record<string, { core: boolean; given: (c: Context) => Record<string, unknown> }>> = {
  'metadata-blanks': { core: true, given: () => ({ metadata: { a: ' b ', c: '\t', 'd e': ' ' } }) },
  'metadata-case': {
    core: true,
    given: () => ({ metadata: { Key: 'Some VALUE', key: 'value', KEY_2: 'É' } }),
  },
  'metadata-markup': {
    core: true,
    given: () => ({ metadata: { a: 'a<b&c', b: 'a\r\nb', c: '{{ a }}', 'd&e': '"' } }),
  },
  'metadata-accents': {
    core: true,
    given: () => ({ metadata: { a: 'Ame\u0301lie', b: 'Am\u00e9lie', é: '👩‍👧' } }),
  },
  'metadata-texts-like-others': {
    core: true,
    given: () => ({ metadata: { a: '01', b: 'true', c: 'null', d: '' } }),
  },
  'metadata-of-256': { core: true, given: () => ({ metadata: { a: `${'v'.repeat(255)}w` } }) },
  'metadata-long': {
    core: false,
    given: () => ({ metadata: { [`${'k'.repeat(99)}K`]: `${'v'.repeat(999)}w`, a: 'b' } }),
  },
  'metadata-many': {
    core: false,
    given: () => ({ metadata: Object.fromEntries(times(50, index => [`k${49 - index}`, `v${index}`])) }),
  },
  containers: {
    core: true,
    given: c => ({ containers: [`${c.container}zz/`, `${c.container}Some/Name/`, `${c.container}aa/`] }),
  },
}

const shows: Readonly<
  Record<string, (c: Context, id: string) => Promise<Record<string, unknown> | undefined>>
> = {
  get: (c, id) => c.read(id),
  list: async (c, id) => (await c.get(`/tokens?id=${id}`, c.asPrivate))?.data?.[0],
  update: (c, id) => c.patch(id, { expires_at: '2099-01-01T00:00:00Z' }),
  search: async (c, id) => {
    const ask = async () =>
      c.success(await c.asPrivate('POST', '/tokens/search', { query: `id:"${id}"` }), 200).body?.data?.[0]
    return c.eventually(ask, 'the search finds the token', c.has('read-your-writes') ? 0 : undefined)
  },
}

const labelCells = Object.entries(labels).map(
  ([name, { core, given }]): Row => [
    `${core ? 'TOK-053' : 'WIR-543'}.${name}: ${name.replaceAll('-', ' ')} come back as they were sent, in each operation`,
    async c => {
      const sent = given(c)
      const { id, ...made } = await c.token(sent)
      for (const member of Object.keys(sent)) c.equal(made[member], sent[member], `${member} of a create`)
      for (const [how, show] of Object.entries(shows)) {
        const shown = await show(c, id)
        for (const member of Object.keys(sent)) c.equal(shown?.[member], sent[member], `${member} of ${how}`)
      }
      const patched = await c.token()
      await c.patch(patched.id, sent)
      const read = await c.read(patched.id)
      for (const member of Object.keys(sent)) c.equal(read[member], sent[member], `${member} after an update`)
    },
  ],
)

/** Texts that are easily changed, in members of formulas, reactors, applications and tenants. */
const odd = (c: Context) => ` ${c.tag} <b>a&b</b> "q" Ame\u0301lie\r\nb `
const long = (length: number) => (c: Context) =>
  `${odd(c)}${'x'.repeat(length)}`.slice(0, length - 1).concat(' ')

/** Resources whose texts are kept, by a management application. A PUT sends them, too. */
const described: Readonly<
  Record<
    string,
    { path: string; needs: NonNullable<Cell['needs']>; body(c: Context): Promise<Record<string, unknown>> }
  >
> = {
  formula: {
    path: '/reactor-formulas',
    needs: ['management'],
    body: async c => ({
      name: long(200)(c),
      description: long(1000)(c),
      type: 'private',
      code: `// ${odd(c)}\nmodule.exports = async req => ({ raw: req.args && 1 < 2 })`,
      configuration: [{ name: 'A', type: 'string', description: long(500)(c) }],
      request_parameters: [{ name: 'a.b', type: 'string', description: odd(c), optional: true }],
    }),
  },
  reactor: {
    path: '/reactors',
    needs: ['management'],
    body: async c => ({
      name: long(200)(c),
      configuration: { A: long(500)(c) },
      formula: { id: (await c.formula({ configuration: [{ name: 'A', type: 'string' }] })).id },
    }),
  },
  application: {
    path: '/applications',
    needs: ['applications'],
    body: async c => ({
      name: long(200)(c),
      type: 'private',
      rules: [
        {
          description: long(500)(c),
          priority: 1,
          container: c.container,
          transform: 'mask',
          permissions: ['token:read'],
        },
      ],
    }),
  },
}

const describedCells = Object.entries(described).map(
  ([name, { path, needs, body }]): Row => [
    `WIR-543.texts-of-${name}${marked(needs)}: the texts of a ${name} come back as they were sent, in each operation`,
    async c => {
      const given = await body(c)
      const call = c.asManagement
      const expect = (shown: unknown, how: string) => {
        const { formula, ...members } = given
        c.matches(shown, members, `the ${name} of ${how}`)
      }
      const made = c.success(await call('POST', path, given), 201).body
      expect(made, 'a create')
      const at = `${path}/${made.id}`
      expect(await c.get(at, call), 'a read')
      expect(c.success(await call('PUT', at, given), 200).body, 'an update')
      const listed = (await c.get(`${path}?size=100`, call))?.data
      expect(
        listed?.find((one: { id: string }) => one.id === made.id),
        'a list',
      )
      if (name === 'application') {
        const again = c.success(await call('POST', `${at}/regenerate`), 200).body
        expect(again, 'a new key')
        expect(await c.get('/applications/key', c.as(again.key)), 'its own read')
      }
    },
  ],
)

const tenantCell = cases({
  'WIR-543.texts-of-tenant [second-management, alone]: the name of a tenant comes back as it was sent':
    async c => {
      const path = '/tenants/self'
      const nameOf = async () => (await c.get(path, c.asOtherManagement))?.name
      const before = await nameOf()
      const name = long(200)(c)
      const put = async (one: string) =>
        c.success(await c.asOtherManagement('PUT', path, { name: one }), 200).body?.name
      c.equal([await put(name), await nameOf()], [name, name], 'the name')
      c.equal([await put(before), await nameOf()], [before, before], 'the name before')
    },
})

/** What is sent comes back unchanged, by every way that writes and every way that reads. */
export const unchangedCases = cases([
  ...cells('DAT-010', 'create', reads, values),
  ...cells('DAT-010', 'patch', ['get'], values),
  ...cells('INV-006', 'create', ['react'], values),
  ...cells('WIR-543', 'create', [...reads, 'detokenize'], wide),
  ...cells('WIR-543', 'create', ['detokenize'], values),
  ...cells('WIR-543', 'patch', ['get'], wide),
  ...cells('WIR-543', 'tokenize', ['get'], { ...values, ...wide }),
  ...labelCells,
  ...describedCells,
  ...tenantCell,
])
