import type { Capability } from '../../capabilities.ts'
import type { Context } from '../../harness/context.ts'
import type { Call, Reply, SendOptions } from '../../harness/target.ts'
import { allTokenPermissions, card, nothing, times, valuesByType } from '../values.ts'
import { type Cell, matrix } from './cell.ts'
import { echoReactor } from './ways.ts'

type Body = Record<string, unknown>

/** A request of the contract with a body, with all its members. */
interface Subject {
  readonly requirement: string
  readonly name: string
  readonly title: string
  /** Id of the operation whose limits hold. */
  readonly operation: string
  readonly needs: readonly Capability[]
  /** A valid body with all members that have limits. */
  body(c: Context): Promise<Body>
  send(c: Context, body: Body, call?: Call, options?: SendOptions): Promise<Reply>
  /** Members at limits that no schema states. */
  readonly accepted?: readonly ((c: Context) => object)[]
  /** Rules of the schema without which the request means something else. */
  readonly open?: readonly string[]
  /** Members beyond them. */
  readonly refused?: Readonly<Record<string, (c: Context) => object>>
}

/** An expression of this length that evaluates to this text. */
const expression = (length: number, text: string) => `{{ '${text}'${' '.repeat(length - text.length - 7)}}}`
const expires = '2099-01-01T00:00:00Z'
const isSearchable = (type: string) =>
  ['token', 'social_security_number', 'employer_id_number'].includes(type)

/** A text of three characters that no other case has at the same time. */
const shortId = (c: Context, index: number) => `${String.fromCharCode(97 + index)}${c.tag.slice(-2)}`
const containerOf = (c: Context, levels: number) =>
  c.container + 'a/'.repeat(levels - c.container.split('/').length + 2)

const expressionsAtLimits = (c: Context) => ({
  containers: [containerOf(c, 16)],
  fingerprint_expression: expression(10_000, c.tag),
  mask: expression(10_000, 'x'),
})
const beyondExpressions: NonNullable<Subject['refused']> = {
  'containers with 17 levels': c => ({ containers: [containerOf(c, 17)] }),
  'a long fingerprint_expression': c => ({ fingerprint_expression: expression(10_001, c.tag) }),
  'a long mask': () => ({ mask: expression(10_001, 'x') }),
  'deduplicate_token as text': () => ({ deduplicate_token: 'no' }),
  'a number in metadata': () => ({ metadata: { k: 1 } }),
}
const indexAtLimit = { search_indexes: [expression(10_000, 'x')] }
const beyondIndex = { 'a long search index': () => ({ search_indexes: [expression(10_001, 'x')] }) }

const tokenBody = async (c: Context, type: string): Promise<Body> => ({
  type,
  id: `${c.tag}${crypto.randomUUID().slice(0, 8)}`,
  data: type === 'card' ? { ...card, cvc: '123' } : valuesByType[type],
  mask: 'x',
  containers: [c.container],
  metadata: { k: 'v' },
  ...(isSearchable(type) ? { search_indexes: ['{{ data }}'] } : { search_indexes: [] }),
  fingerprint_expression: c.tag,
  deduplicate_token: false,
  expires_at: expires,
})

/** How tokens are made: alone, or deep in a payload behind others. */
const creators: Readonly<Record<string, Subject['send']>> = {
  create: (c, body, call = c.asPrivate, options) => call('POST', '/tokens', body, options),
  tokenize: (c, body, call = c.asPrivate, options) => {
    const plain = { type: body.type ?? 'token', data: valuesByType[String(body.type)] ?? 1 }
    return call(
      'POST',
      '/tokenize',
      { a: { ...plain, containers: [c.container] }, b: { deep: [body] } },
      options,
    )
  },
}

const creates = Object.entries(creators).flatMap(([operation, send], way) =>
  Object.keys(valuesByType).map(
    (type, index): Subject => ({
      requirement: 'TOK-541',
      name: `${operation}-${type}`,
      title: `${operation} of a ${type}`,
      operation: 'tokens.create',
      needs: [],
      body: c => tokenBody(c, type),
      send,
      // An object in a payload that has no type or data is no token.
      open: operation === 'tokenize' ? ['without type', 'without data'] : [],
      accepted: [
        c => ({
          id: c.tag.padEnd(400, 'x'),
          ...expressionsAtLimits(c),
          ...(isSearchable(type) ? indexAtLimit : {}),
        }),
        c => ({ id: shortId(c, way * 8 + index) }),
      ],
      refused: {
        ...beyondExpressions,
        ...(isSearchable(type) ? beyondIndex : {}),
        'a long id': c => ({ id: c.tag.padEnd(401, 'x') }),
        'a short id': c => ({ id: shortId(c, 0).slice(1) }),
      },
    }),
  ),
)

const update: Subject = {
  requirement: 'TOK-542',
  name: 'update',
  title: 'an update of a token',
  operation: 'tokens.update',
  needs: [],
  async body(c) {
    const { type, id, data, metadata, ...members } = await tokenBody(c, 'token')
    return members
  },
  async send(c, body, call = c.asPrivate, options) {
    const { id } = await c.shared('patched at limits', s => s.token())
    return call('PATCH', `/tokens/${id}`, body, options)
  },
  accepted: [
    c => ({ ...expressionsAtLimits(c), ...indexAtLimit }),
    () => ({ metadata: named(100, null) }),
    () => ({ metadata: { ...named(49, 'v'), ['k'.repeat(100)]: 'v'.repeat(1000) } }),
  ],
  refused: {
    ...beyondExpressions,
    ...beyondIndex,
    'metadata with 101 members': () => ({ metadata: named(101, null) }),
    'metadata with 51 members after the merge': () => ({ metadata: { ...named(51, 'v'), k50: 'v' } }),
    'metadata with a long name': () => ({ metadata: { ['k'.repeat(101)]: null } }),
    'metadata with an empty name': () => ({ metadata: { '': null } }),
    'metadata with a long value': () => ({ metadata: { k: 'v'.repeat(1001) } }),
  },
}
const named = (count: number, value: unknown) =>
  Object.fromEntries(times(count, index => [`k${index}`, value]))

const search: Subject = {
  requirement: 'SEA-543',
  name: 'search',
  title: 'a search',
  operation: 'tokens.search',
  needs: [],
  body: async c => ({ query: `id:${c.tag}`, page: 1, size: 20 }),
  send: (c, body) => c.asPrivate('POST', '/tokens/search', body),
}

const definition = { name: 'name-of-a-setting', description: 'd', type: 'string' }
const formulaBody = async (c: Context): Promise<Body> => ({
  name: c.tag,
  description: 'd',
  type: 'private',
  icon: 'data:image/png;base64,AAAA',
  code: 'c',
  configuration: [definition],
  request_parameters: [{ ...definition, optional: true }],
})
const codeLimits: Pick<Subject, 'accepted' | 'refused'> = {
  accepted: [() => ({ code: 'é'.repeat(25_000) })],
  refused: { 'code of 50,001 bytes': () => ({ code: `${'é'.repeat(25_000)}e` }) },
}
const reference = (c: Context) => c.shared('formula at limits', s => s.formula())
const made = (c: Context) => c.shared('reactor at limits', s => s.reactor())
const rule = {
  description: 'd',
  priority: 1,
  container: '/a/',
  transform: 'mask',
  permissions: ['token:read'],
}
const conditional = (condition: object, priority: number) => ({
  priority,
  conditions: [condition],
  transform: 'mask',
  permissions: ['token:read'],
})
const rights = {
  permissions: ['token:read'],
  rules: [
    rule,
    conditional({ attribute: 'id', operator: 'equals', value: 'some-id' }, 2),
    conditional({ attribute: 'container', operator: 'equals', value: '/a/' }, 3),
  ],
}
const noRights = { 'neither permissions nor rules': () => ({ permissions: [], rules: [] }) }
const managed = (
  name: string,
  operation: string,
  title: string,
  more: Pick<Subject, 'body' | 'send' | 'accepted' | 'refused'>,
): Subject => ({
  requirement: 'WIR-540',
  name,
  title,
  operation,
  needs: operation.startsWith('applications') ? ['management', 'applications'] : ['management'],
  ...more,
})
const pathOf = {
  formula: async (c: Context) => `/reactor-formulas/${(await reference(c)).id}`,
  reactor: async (c: Context) => `/reactors/${(await made(c)).id}`,
  application: async (c: Context) => {
    const { id } = await c.shared('application at limits', s =>
      s.application({ permissions: ['token:read'] }),
    )
    return `/applications/${id}`
  },
}
const sending =
  (method: string, path: string | ((c: Context) => Promise<string>)): Subject['send'] =>
  async (c, body, call = c.asManagement, options) =>
    call(method, typeof path === 'string' ? path : await path(c), body, options)

const resources: readonly Subject[] = [
  managed('create-formula', 'reactorFormulas.create', 'creating a formula', {
    body: formulaBody,
    send: sending('POST', '/reactor-formulas'),
    ...codeLimits,
  }),
  managed('put-formula', 'reactorFormulas.update', 'replacing a formula', {
    body: formulaBody,
    send: sending('PUT', pathOf.formula),
    ...codeLimits,
  }),
  managed('create-reactor', 'reactors.create', 'creating a reactor', {
    body: async c => ({
      name: c.tag,
      configuration: {},
      formula: { id: (await c.shared('formula of reactors', s => s.formula())).id },
    }),
    send: sending('POST', '/reactors'),
  }),
  managed('put-reactor', 'reactors.update', 'replacing a reactor', {
    body: async c => ({ name: c.tag, configuration: {} }),
    send: sending('PUT', pathOf.reactor),
  }),
  managed('patch-reactor', 'reactors.patch', 'patching a reactor', {
    body: async c => ({ name: c.tag }),
    send: sending('PATCH', pathOf.reactor),
    refused: { 'an application without an id of the right form': () => ({ application: { id: 'x' } }) },
  }),
  managed('create-application', 'applications.create', 'creating an application', {
    body: async c => ({ name: c.tag, type: 'private', ...rights, expires_at: expires }),
    send: sending('POST', '/applications'),
    refused: noRights,
  }),
  managed('put-application', 'applications.update', 'replacing an application', {
    body: async c => ({ name: c.tag, ...rights, expires_at: expires }),
    send: sending('PUT', pathOf.application),
    refused: noRights,
  }),
]

const authorize: Subject = {
  requirement: 'SES-543',
  name: 'authorize',
  title: 'authorizing a session',
  operation: 'sessions.authorize',
  needs: ['public'],
  body: async () => ({ nonce: 'a', ...rights }),
  async send(c, body, call = c.asPrivate, options) {
    const nonce = typeof body.nonce === 'string' && body.nonce !== '' ? (await c.session()).nonce : body.nonce
    return call('POST', '/sessions/authorize', { ...body, nonce }, options)
  },
  refused: noRights,
}

const react: Subject = {
  requirement: 'INV-542',
  name: 'react',
  title: 'an invocation',
  operation: 'reactors.react',
  needs: ['management', 'callbacks'],
  body: async c => ({ args: {}, callback_url: (await c.inbox()).open().url, timeout_ms: 10_000 }),
  send: async (c, body, call = c.asPrivate, options) => c.react(await echoReactor(c), body, call, options),
}

const subjects = [...creates, update, search, ...resources, authorize, react]

const limitCells = subjects.map(
  (one): Cell => ({
    ...one,
    title: `${one.title} accepts members at their limits, and refuses each beyond`,
    async run(c) {
      const schema = c.contract.operations.find(({ id }) => id === one.operation)?.body ?? {}
      const body = () => one.body(c)
      for (const end of ['most', 'least'] as const)
        c.success(
          await one.send(c, c.contract.limits.at(schema, await body(), end) as Body),
          undefined,
          `members with the ${end}`,
        )
      for (const [index, members] of (one.accepted ?? []).entries())
        c.success(
          await one.send(c, { ...(await body()), ...members(c) }),
          undefined,
          `members at limits ${index + 1}`,
        )
      for (const { what, value } of c.contract.limits.beyond(schema, await body())) {
        if (one.open?.includes(what.trim())) continue
        c.refused(await one.send(c, value as Body), 400, what)
      }
      for (const [what, members] of Object.entries(one.refused ?? {}))
        c.refused(await one.send(c, { ...(await body()), ...members(c) }), 400, what)
    },
  }),
)

/** Keys of applications that no other case uses, so that short idempotency keys are free. */
const freshCallers = {
  private: (c: Context) =>
    c.shared('keyed private', s => s.application({ permissions: allTokenPermissions })),
  public: (c: Context) =>
    c.shared('keyed public', s => s.application({ permissions: ['token:create'] }, 'public')),
  management: (c: Context) =>
    c.shared('keyed management', s =>
      s.application(
        {
          permissions: [
            ...['create', 'read', 'update', 'delete'].flatMap(verb => [
              `reactor:${verb}`,
              `application:${verb}`,
            ]),
          ],
        },
        'management',
      ),
    ),
}

interface Keyed {
  readonly name: string
  readonly by: keyof typeof freshCallers
  readonly needs: readonly Capability[]
  send(c: Context, call: Call, options: SendOptions): Promise<Reply>
}

const keyed: readonly Keyed[] = [
  ...subjects
    .filter(
      ({ name, operation }) =>
        operation !== 'tokens.search' && (operation !== 'tokens.create' || name.endsWith('-token')),
    )
    .map(
      (one): Keyed => ({
        name: one.name,
        by: one.requirement === 'WIR-540' ? 'management' : 'private',
        needs: [...one.needs, 'applications'],
        send: async (c, call, options) => {
          const { mask, fingerprint_expression, search_indexes, rules, ...body } = await one.body(c)
          return one.send(c, body, call, options)
        },
      }),
    ),
  {
    name: 'create-session',
    by: 'public',
    needs: ['public', 'applications'],
    send: (_c, call, options) => call('POST', '/sessions', undefined, options),
  },
  {
    name: 'regenerate-key',
    by: 'management',
    needs: ['management', 'applications'],
    send: async (c, call, options) => {
      const { id } = await c.application({ permissions: ['token:read'] })
      return call('POST', `/applications/${id}/regenerate`, undefined, options)
    },
  },
]

const keyCells = keyed.map(
  ({ name, by, needs, send }, index): Cell => ({
    requirement: 'IDE-540',
    name,
    title: `an idempotency key has 1 to 255 printable characters: ${name}`,
    needs,
    async run(c) {
      const { key } = await freshCallers[by](c)
      const ask = (text: string) =>
        send(c, c.as(key), { headers: { [`${c.target.headerPrefix}-IDEMPOTENCY-KEY`]: text } })
      c.success(await ask(String.fromCharCode(65 + index)), undefined, '1 character')
      c.success(await ask(c.tag.padEnd(255, 'x')), undefined, '255 characters')
      c.refused(await ask(c.tag.padEnd(256, 'x')), 400, '256 characters')
      c.refused(await ask(`${c.tag}é`), 400, 'a letter that is not ASCII')
      c.refused(await ask(''), 400, 'no character')
    },
  }),
)

/** Values of query parameters, without those that only pages of our own have. */
const queries: Readonly<Record<string, unknown>> = {
  id: [nothing],
  type: ['token'],
  metadata: { k: 'v' },
  page: 1,
  size: 20,
  entity_type: 'token',
  entity_id: 'some-id',
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-02T00:00:00Z',
}
const lists: Readonly<Record<string, readonly [operation: string, Capability[]]>> = {
  '/tokens': ['tokens.list', []],
  '/reactor-formulas': ['reactorFormulas.list', ['management']],
  '/reactors': ['reactors.list', ['management']],
  '/applications': ['applications.list', ['management', 'applications']],
  '/logs': ['logs.list', ['management']],
}
const queryOf = (name: string, value: unknown) =>
  Object.entries((Array.isArray(value) || typeof value === 'object' ? value : [value]) as object)
    .map(
      ([key, one]) =>
        `${name}${Array.isArray(value) || typeof value !== 'object' ? '' : `.${encodeURIComponent(key)}`}=${encodeURIComponent(String(one))}`,
    )
    .join('&')

const listCells = Object.entries(lists).map(
  ([path, [operation, needs]]): Cell => ({
    requirement: 'PAG-541',
    name: operation.split('.')[0]?.toLowerCase() ?? '',
    title: `the parameters of ${path} are accepted at their limits, and refused beyond`,
    needs,
    async run(c) {
      const { query = {} } = c.contract.operations.find(({ id }) => id === operation) ?? {}
      const call = path === '/tokens' ? c.asPrivate : c.asManagement
      for (const [name, schema] of Object.entries(query)) {
        const value = queries[name]
        if (value === undefined) continue
        const ask = (given: unknown) => call('GET', `${path}?${queryOf(name, given)}`)
        for (const end of ['most', 'least'] as const)
          c.success(await ask(c.contract.limits.at(schema, value, end)), 200, `${name} with the ${end}`)
        for (const { what, value: broken } of c.contract.limits.beyond(schema, value))
          c.refused(await ask(broken), 400, `${name} ${what}`)
      }
    },
  }),
)

/** Each limit of length and number, at the limit and one beyond it, by each operation and type. */
export const limitCases = matrix([...limitCells, ...keyCells, ...listCells])
