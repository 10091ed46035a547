import { hostileCases } from '../expressions/hostile.cases.ts'
import { keys } from './callers.ts'
import type { FuzzRequest } from './case.ts'
import type { Dice } from './dice.ts'
import type { Loose } from './json-text.ts'

/** A request made to cost as much as its bytes can buy. */
export interface Oversized {
  readonly title: string
  readonly operation: string
  readonly make: (dice: Dice) => {
    readonly target?: string
    readonly key?: string
    readonly prelude?: readonly FuzzRequest[]
    /** The body as text. */
    readonly body?: string
    readonly byFormula?: true
  }
}

const mebibyte = 1024 * 1024
/** What fills a body up to the limit, with room for what stands around it. */
const most = mebibyte - 2000

const json = (value: Loose) => JSON.stringify(value)
const token = (members: Record<string, Loose>) => json({ type: 'token', data: 'x', ...members })
const list = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: Math.ceil(count) }, (_, index) => item(index))
const members = (count: number, value: (index: number) => Loose): Record<string, Loose> =>
  Object.fromEntries(list(count, index => [`k${index}`, value(index)]))
const filled = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)

const sizes = [2_000, 25_000, 140_000, 500_000, most]
const pieces = [
  '{',
  '}',
  '{{',
  '}}',
  '{{ ',
  '{%',
  '{{a}}',
  '{{ a | ',
  ' ',
  'a',
  '/',
  'a/',
  '/a/',
  '-',
  '0',
  '0-',
  '[',
  '(',
  '"',
  "'",
  '\\',
  '.',
  'a.',
  '_',
  '+',
  '=',
  'A',
  '\u0000',
  'é',
  '🙂',
  '%',
  '|',
]

/** Members of bodies that take a text, by operation. */
const textMembers: readonly (readonly [operation: string, path: string, body: (text: string) => Loose])[] = [
  ['tokens.create', 'id', id => ({ id, type: 'token', data: 'x' })],
  ['tokens.create', 'type', type => ({ type, data: 'x' })],
  ['tokens.create', 'data', data => ({ type: 'token', data })],
  ['tokens.create', 'card number', number => ({ type: 'card', data: { number } })],
  ['tokens.create', 'identity number', data => ({ type: 'social_security_number', data })],
  ['tokens.create', 'routing number', data => ({ type: 'us_bank_routing_number', data })],
  ['tokens.create', 'mask', mask => ({ type: 'token', data: 'x', mask })],
  ['tokens.create', 'a container', container => ({ type: 'token', data: 'x', containers: [container] })],
  [
    'tokens.create',
    'ten containers',
    container => ({
      type: 'token',
      data: 'x',
      containers: list(10, index => `/${index}/${container}`.slice(0, 100_000)),
    }),
  ],
  ['tokens.create', 'metadata', text => ({ type: 'token', data: 'x', metadata: { k: text } })],
  ['tokens.create', 'name of metadata', text => ({ type: 'token', data: 'x', metadata: { [text]: 'v' } })],
  ['tokens.create', 'search index', text => ({ type: 'token', data: 'x', search_indexes: [text] })],
  ['tokens.create', 'fingerprint', text => ({ type: 'token', data: 'x', fingerprint_expression: text })],
  ['tokens.create', 'expiry', text => ({ type: 'token', data: 'x', expires_at: text })],
  [
    'tokens.create',
    'expiry after a date',
    text => ({ type: 'token', data: 'x', expires_at: `2090-01-01T00:00:00.${text}` }),
  ],
  [
    'tokens.create',
    'name of a member',
    text => ({ type: 'card', data: { number: '4242424242424242', [text]: 1 } }),
  ],
  ['tokens.search', 'query', query => ({ query })],
  ['tokens.search', 'start', start => ({ start })],
  ['tokenize', 'a payload', text => [text, { type: 'token', data: text, id: text }]],
  ['detokenize', 'a payload', text => [text]],
  ['reactorFormulas.create', 'code', code => ({ name: 'F', type: 'private', code })],
  ['reactorFormulas.create', 'name', name => ({ name, type: 'private', code: 'x' })],
  [
    'reactorFormulas.create',
    'icon',
    icon => ({ name: 'F', type: 'private', code: 'x', icon: `data:image/png;base64,${icon}` }),
  ],
  [
    'reactorFormulas.create',
    'name of a setting',
    name => ({ name: 'F', type: 'private', code: 'x', configuration: [{ name, type: 'string' }] }),
  ],
  [
    'reactorFormulas.create',
    'name of a parameter',
    name => ({ name: 'F', type: 'private', code: 'x', request_parameters: [{ name, type: 'string' }] }),
  ],
  ['reactors.create', 'formula', id => ({ name: 'R', configuration: {}, formula: { id } })],
  [
    'reactors.create',
    'configuration',
    text => ({ name: 'R', configuration: { a: text }, formula: { id: '@@formula.0@@' } }),
  ],
  [
    'applications.create',
    'container of a rule',
    container => ({
      name: 'A',
      type: 'private',
      rules: [{ priority: 1, container, transform: 'mask', permissions: ['token:read'] }],
    }),
  ],
  [
    'applications.create',
    'condition of a rule',
    value => ({
      name: 'A',
      type: 'private',
      rules: [
        {
          priority: 1,
          conditions: [{ attribute: 'container', operator: 'starts_with', value }],
          transform: 'mask',
          permissions: ['token:read'],
        },
      ],
    }),
  ],
  [
    'applications.create',
    'expiry',
    text => ({ name: 'A', type: 'private', permissions: ['token:read'], expires_at: text }),
  ],
  ['sessions.authorize', 'nonce', nonce => ({ nonce, permissions: ['token:read'] })],
  ['reactors.react', 'args', args => ({ args })],
  ['reactors.react', 'an argument', text => ({ args: { number: 1, card: { number: text } } })],
  ['reactors.react', 'callback URL', text => ({ args: {}, callback_url: `https://127.0.0.1:1/${text}` })],
]

const texts: readonly Oversized[] = textMembers.map(([operation, path, body]) => ({
  title: `a long text as ${path}`,
  operation,
  make: dice => ({ body: json(body(filled(dice.pick(pieces), dice.pick(sizes)))) }),
}))

const badRule = (index: number): Loose => ({
  priority: index,
  transform: 'nonsense',
  permissions: ['nonsense'],
  container: 'nonsense',
  conditions: [{}],
})

/** Bodies of a member many times over, well-formed or not in each. */
const lists: readonly Oversized[] = [
  many('tokens.create', 'containers', 60_000, count =>
    token({ containers: list(count, index => `/c${index}/`) }),
  ),
  many('tokens.create', 'bad containers', 60_000, count =>
    token({ containers: list(count, index => `c${index}`) }),
  ),
  many('tokens.create', 'deep containers', 10, count =>
    token({ containers: list(count, index => `/${index}/${'a/'.repeat(50_000)}`) }),
  ),
  many('tokens.create', 'metadata', 60_000, count => token({ metadata: members(count, () => 'v') })),
  many('tokens.create', 'bad metadata', 60_000, count => token({ metadata: members(count, () => 1) })),
  many('tokens.create', 'search indexes', 40_000, count =>
    token({ search_indexes: list(count, () => '{{ data }}') }),
  ),
  many('tokens.create', 'bad search indexes', 60_000, count =>
    token({ search_indexes: list(count, index => index) }),
  ),
  many('tokens.create', 'unknown members', 60_000, count => token(members(count, index => index))),
  many('tokens.create', 'members of a card', 60_000, count =>
    json({ type: 'card', data: { number: '4242424242424242', ...members(count, () => 1) } }),
  ),
  many('tokens.create', 'members of data', 80_000, count => token({ data: members(count, index => index) })),
  many('tokens.create', 'items of data', 200_000, count => token({ data: list(count, index => index) })),
  many('tokens.create', 'expressions in a mask', 30_000, count =>
    token({ mask: list(count, () => '{{ data | stringify }}') }),
  ),
  many(
    'tokens.create',
    'equal names',
    100_000,
    count => `{"type":"token","data":{${'"a":1,'.repeat(count)}"a":1}}`,
  ),
  many('tokenize', 'values', 150_000, count => json(list(count, index => index))),
  many('tokenize', 'bad tokens', 20_000, count =>
    json(list(count, () => ({ type: 'nonsense', data: 1, containers: ['x'] }))),
  ),
  many('tokenize', 'cards', 100, count =>
    json(list(count, () => ({ type: 'card', data: { number: '4242424242424242' } }))),
  ),
  many('detokenize', 'references', 60_000, count => json(list(count, index => `{{ id-${index} }}`))),
  many('detokenize', 'equal references', 60_000, count => json(list(count, () => '{{ id-1 }}'))),
  many('detokenize', 'references in a text', 60_000, count => json(filled('{{ id-1 }} ', count * 15))),
  many('applications.create', 'bad rules', 9_000, count =>
    json({ name: 'A', type: 'private', rules: list(count, badRule) }),
  ),
  many('applications.create', 'rules', 7_000, count =>
    json({
      name: 'A',
      type: 'private',
      rules: list(count, index => ({
        priority: index + 1,
        container: `/r${index}/`,
        transform: 'mask',
        permissions: ['token:read'],
      })),
    }),
  ),
  many('applications.create', 'bad conditions', 30_000, count =>
    json({
      name: 'A',
      type: 'private',
      rules: [
        {
          priority: 1,
          transform: 'mask',
          permissions: ['token:read'],
          conditions: list(count, () => ({ attribute: 'x' })),
        },
      ],
    }),
  ),
  many('applications.create', 'permissions', 60_000, count =>
    json({ name: 'A', type: 'private', permissions: list(count, () => 'token:read') }),
  ),
  many('applications.create', 'bad permissions', 60_000, count =>
    json({ name: 'A', type: 'private', permissions: list(count, () => 'x') }),
  ),
  many('sessions.authorize', 'bad rules', 9_000, count => json({ nonce: 'x', rules: list(count, badRule) })),
  many('reactorFormulas.create', 'bad parameters', 20_000, count =>
    json({
      name: 'F',
      type: 'private',
      code: 'x',
      request_parameters: list(count, () => ({ name: '__proto__', type: 'x', optional: 1 })),
    }),
  ),
  many('reactorFormulas.create', 'settings', 20_000, count =>
    json({
      name: 'F',
      type: 'private',
      code: 'x',
      configuration: list(count, index => ({ name: `s${index}`, type: 'string' })),
    }),
  ),
  many('reactors.create', 'bad configuration', 60_000, count =>
    json({ name: 'R', formula: { id: '@@formula.0@@' }, configuration: members(count, () => ({})) }),
  ),
  many('reactors.create', 'configuration', 60_000, count =>
    json({ name: 'R', formula: { id: '@@formula.0@@' }, configuration: members(count, () => 'v') }),
  ),
]

function many(
  operation: string,
  what: string,
  mostItems: number,
  body: (count: number) => string,
): Oversized {
  return {
    title: `many ${what}`,
    operation,
    make: dice => ({
      body: body(dice.pick([Math.min(101, mostItems), Math.ceil(mostItems / 10), mostItems])),
    }),
  }
}

const depths = [65, 1000, 20_000, 500_000]
const bodies = [
  'tokens.create',
  'tokens.search',
  'tokenize',
  'detokenize',
  'reactors.react',
  'applications.create',
  'sessions.authorize',
  'reactorFormulas.create',
]

/** Texts that are JSON, or begin like it, and are nested as deep as a body is long. */
const nestings: readonly Oversized[] = bodies.flatMap(operation => [
  nesting(operation, 'opened lists', depth => '['.repeat(depth * 2)),
  nesting(operation, 'lists', depth => `{"data":${'['.repeat(depth)}${']'.repeat(depth)},"type":"token"}`),
  nesting(
    operation,
    'objects',
    depth => `{"type":"token","data":${'{"a":'.repeat(depth / 5)}1${'}'.repeat(depth / 5)}}`,
  ),
  nesting(operation, 'opened objects', depth => '{"a":'.repeat(depth / 5)),
  nesting(operation, 'closed lists', depth => ']'.repeat(depth)),
  nesting(operation, 'blanks', depth => `${' \n\t\r'.repeat(depth / 4)}1`),
  nesting(operation, 'digits', depth => `{"data":${'9'.repeat(depth)}}`),
  nesting(operation, 'escapes', depth => `{"data":"${'\\u0061'.repeat(depth / 6)}"}`),
  nesting(operation, 'an open text', depth => `"${'\\\\'.repeat(depth / 2)}`),
])

function nesting(operation: string, what: string, body: (depth: number) => string): Oversized {
  return { title: `a body of ${what}`, operation, make: dice => ({ body: body(dice.pick(depths)) }) }
}

const query = (text: string): string => json({ query: text })

const queries: readonly (readonly [string, (size: number) => string])[] = [
  ['parentheses', size => `${'('.repeat(size / 3)}type:card${')'.repeat(size / 3)}`],
  ['open parentheses', size => '('.repeat(size)],
  ['NOT', size => `${'NOT '.repeat(size / 5)}type:card`],
  ['minus signs', size => `${'-'.repeat(size - 10)}type:card`],
  ['OR', size => list(size / 16, index => `type:t${index}`).join(' OR ')],
  ['AND of NOT', size => list(size / 30, index => `NOT metadata.k${index}:v`).join(' AND ')],
  ['ranges', size => list(size / 60, () => 'created_at:{2020-01-01 TO 2030-01-31T10:00:00Z]').join(' OR ')],
  ['containers', size => list(size / 30, index => `container:"/c${index}/*"`).join(' OR ')],
  ['a deep container', size => `container:"/${'a/'.repeat(size / 2 - 20)}*"`],
  ['quotes', size => `data:"${'\\"'.repeat(size / 2 - 10)}"`],
  ['backslashes', size => `data:"${'\\'.repeat(size - 10)}`],
  ['spaces', size => `type:card${' '.repeat(size - 12)}AND`],
]

const searches: readonly Oversized[] = queries.map(([what, make]) => ({
  title: `a query of ${what}`,
  operation: 'tokens.search',
  make: dice => ({ body: query(make(dice.pick([300, 1_999, 2_001, 100_000])).slice(0, most)) }),
}))

/** As long as a head may be. */
const headBytes = 15_000

const targets: readonly (readonly [
  operation: string,
  what: string,
  target: (dice: Dice) => string,
  key: string,
])[] = [
  ['tokens.list', 'ids', () => `/tokens?${filled('id=abc&', headBytes)}`, keys.private],
  ['tokens.list', 'types', () => `/tokens?${filled('type=card&', headBytes)}`, keys.private],
  [
    'tokens.list',
    'metadata',
    () => `/tokens?${list(700, index => `metadata.k${index}=v`).join('&')}`,
    keys.private,
  ],
  ['tokens.list', 'unknown parameters', () => `/tokens?${filled('a&', headBytes)}`, keys.private],
  ['tokens.list', 'escapes', () => `/tokens?id=${filled('%F0%9F%99%82', headBytes - 100)}`, keys.private],
  ['tokens.list', 'broken escapes', () => `/tokens?${filled('%', headBytes)}`, keys.private],
  ['tokens.list', 'a page far away', () => '/tokens?page=999999999999999&size=100', keys.private],
  [
    'tokens.get',
    'a long id',
    dice => `/tokens/${filled(dice.pick(['a', '%7B', '%F0%9F%99%82', '%00', '..%2f']), headBytes)}`,
    keys.private,
  ],
  ['tokens.get', 'a path of many segments', () => filled('/tokens', headBytes), keys.private],
  ['tokens.get', 'a path of slashes', () => filled('/', headBytes), keys.private],
  [
    'reactors.list',
    'ids',
    () => `/reactors?${list(350, () => 'id=3a1f6c52-9d0b-4c1e-8f57-6a2b9d4e0c11').join('&')}`,
    keys.management,
  ],
  [
    'reactorFormulas.list',
    'stars in a name',
    dice =>
      `/reactor-formulas?name=${filled(dice.pick(['*a', '*', 'F*', '*%2a', '*F*o*r*m*u*l*a*']), headBytes - 100)}z`,
    keys.management,
  ],
  [
    'reactors.list',
    'stars in a name',
    () => `/reactors?name=${filled('*e', headBytes - 100)}z`,
    keys.management,
  ],
  ['logs.list', 'an entity id', () => `/logs?entity_id=${filled('a', headBytes - 100)}`, keys.management],
  [
    'logs.list',
    'a date',
    dice => `/logs?from=${filled(dice.pick(['0', '1-', '2030-01-01T', '.']), headBytes - 100)}`,
    keys.management,
  ],
]

const heads: readonly Oversized[] = targets.map(([operation, what, target, key]) => ({
  title: `a target of ${what}`,
  operation,
  make: dice => ({ target: target(dice), key }),
}))

/** The templates that the expressions are tested with, in every member that takes one. */
const templates: readonly Oversized[] = hostileCases
  .filter(({ data }) => typeof data !== 'number' || Number.isSafeInteger(data))
  .map(({ title, template, data = 1 }) => ({
    title: `a template: ${title}`,
    operation: 'tokens.create',
    make: dice => {
      const member = dice.pick<Record<string, Loose>>([
        { mask: template },
        { mask: list(100, () => template) },
        { fingerprint_expression: template },
        { search_indexes: list(10, () => template) },
        { id: template.includes('{{') ? template : `{{ data }}${template}` },
      ])
      const body = token({ data: data as Loose, ...member })
      return {
        body: body.length < most ? body : token({ data: data as Loose, mask: template }).slice(0, most),
      }
    },
  }))

const code = (what: string, make: (size: number) => string): Oversized => ({
  title: `code of ${what}`,
  operation: 'reactors.react',
  make: dice => ({
    prelude: [
      {
        method: 'POST',
        target: '/reactor-formulas',
        headers: [
          ['SVC-API-KEY', keys.management],
          ['Content-Type', 'application/json'],
        ],
        body: json({ name: 'F', type: 'private', code: make(dice.pick([1_000, 49_000])) }),
      },
      {
        method: 'POST',
        target: '/reactors',
        headers: [
          ['SVC-API-KEY', keys.management],
          ['Content-Type', 'application/json'],
        ],
        body: json({ name: 'R', formula: { id: '@@0.id@@' }, configuration: {} }),
      },
    ],
    target: '/reactors/@@1.id@@/react',
    body: '{"args":{}}',
    byFormula: true,
  }),
})

const codes: readonly Oversized[] = [
  code('parentheses', size => `${'('.repeat(size / 2)}1${')'.repeat(size / 2)}`),
  code('open brackets', size => '['.repeat(size)),
  code('templates', size => '`${'.repeat(size / 3)),
  code('arrows', size => `module.exports = ${'a=>'.repeat(size / 3 - 20)}a`),
  code('slashes', size => `x = 1 ${'/a'.repeat(size / 2 - 10)}`),
  code('comments', size => '/*'.repeat(size / 2)),
  code('imports', size => `module.exports = async () => { ${'import("a");'.repeat(size / 12 - 10)} }`),
  code('a long name', size => `module.exports = async () => ({ raw: ${'a'.repeat(size - 100)} })`),
]

/** Arguments up to what an invocation takes, five times as much as any other body. */
const invocations: readonly Oversized[] = [
  invocation('items', () => json({ args: { a: list(500_000, index => index) } })),
  invocation('members', () => json({ args: members(300_000, () => 1) })),
  invocation('text', () => json({ args: { a: filled('x', 5 * mebibyte - 100) } })),
  invocation('braces', () => json({ args: { a: filled('{{', 5 * mebibyte - 100) } })),
  invocation('references', () => json({ args: { a: list(5_000, index => `{{ id-${index} }}`) } })),
  invocation('references within an object', () =>
    json({ args: members(5_000, index => `{{ id-${index % 100} }}`) }),
  ),
  invocation('opened lists', () => '['.repeat(5 * mebibyte - 100)),
  invocation('more bytes than it takes', () => json({ args: filled('x', 6 * mebibyte) })),
]

function invocation(what: string, body: () => string): Oversized {
  return {
    title: `an invocation with many ${what}`,
    operation: 'reactors.react',
    make: dice => ({
      target: `/reactors/@@reactor.${dice.int(0, 2)}@@/react`,
      body: body(),
      byFormula: true,
    }),
  }
}

/** Of a tenant of their own: whoever lists the others' tokens is not to wait for these. */
const largeTokens = (dice: Dice): FuzzRequest[] =>
  list(dice.int(2, 24), () => ({
    method: 'POST',
    target: '/tokens',
    headers: [
      ['SVC-API-KEY', keys.other],
      ['Content-Type', 'application/json'],
    ],
    body: token({ data: filled('x', 900_000), mask: '{{ data }}' }),
  }))

const pages: readonly Oversized[] = [
  {
    title: 'a page of large tokens',
    operation: 'tokens.list',
    make: dice => ({ key: keys.other, prelude: largeTokens(dice), target: '/tokens?size=100' }),
  },
  {
    title: 'a search of large tokens',
    operation: 'tokens.search',
    make: dice => ({ key: keys.other, prelude: largeTokens(dice), body: json({ size: 100 }) }),
  },
]

const tooLarge: Oversized = {
  title: 'a body over the limit',
  operation: 'tokens.create',
  make: dice => ({
    body: token({ data: filled('x', mebibyte + dice.pick([-40, 0, 1, mebibyte, 4 * mebibyte])) }),
  }),
}

/** Every family as often as the others, however many shapes it has. */
export const oversized: readonly (readonly Oversized[])[] = [
  texts,
  texts,
  lists,
  lists,
  nestings,
  searches,
  heads,
  templates,
  codes,
  invocations,
  [tooLarge],
]

/** Takes long to set up, and so comes seldom. */
export const largePages = pages
