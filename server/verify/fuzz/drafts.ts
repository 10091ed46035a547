import { keys } from './callers.ts'
import type { FuzzRequest } from './case.ts'
import type { Dice } from './dice.ts'
import type { Document, Operation } from './document.ts'
import { preparedFormulas } from './grammar/formulas.ts'
import { isLooseObject, type Loose, type LooseObject, writeJson } from './json-text.ts'
import type { Values } from './values.ts'

/** A request in parts, for mutations. */
export interface Draft {
  readonly operation: Operation
  readonly prelude: readonly FuzzRequest[]
  readonly path: string
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly key: string
  readonly body: Loose | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly byFormula: boolean
}

export function toRequest(
  draft: Draft,
  body = draft.body === undefined ? undefined : writeJson(draft.body),
): FuzzRequest {
  const { operation, path, query, key, headers } = draft
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${percent(value)}`).join('&')
  return {
    method: operation.method,
    target: search === '' ? path : `${path}?${search}`,
    headers: [
      ['SVC-API-KEY', key],
      ...(body === undefined ? [] : [['Content-Type', operation.bodyType ?? 'application/json'] as const]),
      ...headers,
    ],
    ...(body === undefined ? {} : { body }),
  }
}

/** Like `encodeURIComponent`, which throws for lone surrogates. */
const percent = (text: string) => encodeURIComponent(text.toWellFormed())

function request(method: string, target: string, key: string, body?: Loose): FuzzRequest {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  return {
    method,
    target,
    headers: [['SVC-API-KEY', key], ...(body === undefined ? [] : [['Content-Type', type] as const])],
    ...(body === undefined ? {} : { body: writeJson(body) }),
  }
}

/** Makes a request of an operation, with the requests that prepare it. */
export function draft(document: Document, operation: Operation, values: Values): Draft {
  const { dice } = values
  const body = operation.body && values.of(operation.body)
  const plain: Draft = {
    operation,
    prelude: [],
    path: operation.path,
    query: query(operation, values),
    key: keys.private,
    body,
    headers:
      operation.method !== 'GET' && dice.chance(0.05)
        ? [['SVC-IDEMPOTENCY-KEY', `fuzz-${dice.int(1, 5)}-${dice.uuid()}`]]
        : [],
    byFormula: false,
  }
  const setUp = setUps[operation.id] ?? (operation.method === 'GET' ? reading : undefined)
  if (!setUp)
    throw new Error(`the fuzz does not know the operation ${operation.id}: add it to fuzz/drafts.ts`)
  return { ...plain, ...setUp(plain, values, document) }
}

function query(operation: Operation, values: Values): [string, string][] {
  const { dice } = values
  return operation.parameters
    .filter(one => one.in === 'query' && one.name !== 'start' && (one.required || dice.chance(0.3)))
    .flatMap(({ name, schema }): [string, string][] => {
      const value = values.of(schema, name)
      if (Array.isArray(value)) return value.map(item => [name, String(item)])
      if (isLooseObject(value))
        return Object.entries(value).map(([key, item]) => [`${name}.${key}`, String(item)])
      return [[name, String(value)]]
    })
}

type SetUp = (draft: Draft, values: Values, document: Document) => Partial<Draft>

const tokenId = (dice: Dice) => `fuzz-${dice.uuid()}`
const newToken = (dice: Dice, id: string): FuzzRequest =>
  request('POST', '/tokens', keys.private, {
    id,
    type: 'token',
    data: dice.pick<Loose>(['text', 12, { a: 1, b: ['x', null] }, [1, 2]]),
    mask: '{{ data | stringify | reveal_last: 4 }}',
    metadata: { k: 'v' },
    ...(dice.chance(0.2) ? { search_indexes: ['{{ data | stringify }}'] } : {}),
  })
const newFormula = request('POST', '/reactor-formulas', keys.management, {
  name: 'F',
  type: 'private',
  code: 'module.exports = async req => ({ raw: req.args })',
  configuration: [{ name: 'limit', type: 'number' }],
})
const newReactor = request('POST', '/reactors', keys.management, {
  name: 'R',
  formula: { id: '@@0.id@@' },
  configuration: { limit: 1 },
})
const newApplication = request('POST', '/applications', keys.management, {
  name: 'A',
  type: 'private',
  permissions: ['token:read'],
})
const newSession = request('POST', '/sessions', keys.public)

const anyReader = (dice: Dice) => dice.pick([keys.private, keys.private, keys.masked, keys.restricted])

const onToken: SetUp = (_, { dice }) => {
  const id = tokenId(dice)
  return { prelude: [newToken(dice, id)], path: `/tokens/${id}` }
}
/** A request that needs no record: a key that may call it, and parameters of the path from their schemas. */
const reading: SetUp = ({ operation: { path, parameters, applicationTypes } }, values) => ({
  key: isForReaders(applicationTypes)
    ? anyReader(values.dice)
    : values.dice.pick(applicationTypes.map(type => keys[type])),
  path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const { schema } = parameters.find(one => one.in === 'path' && one.name === name) ?? {}
    return percent(String(schema && values.of(schema, name)))
  }),
})
const isForReaders = (types: readonly string[]) => types.length === 1 && types[0] === 'private'
const managed: SetUp = () => ({ key: keys.management })
const onFormula: SetUp = () => ({
  key: keys.management,
  prelude: [newFormula],
  path: '/reactor-formulas/@@0.id@@',
})
const onReactor: SetUp = () => ({
  key: keys.management,
  prelude: [newFormula, newReactor],
  path: '/reactors/@@1.id@@',
})
const onApplication: SetUp = () => ({
  key: keys.management,
  prelude: [newApplication],
  path: '/applications/@@0.id@@',
})

/** Corrects members that depend on each other, which a schema cannot express. */
const corrected = (body: Loose | undefined, change: (body: LooseObject) => LooseObject): Loose | undefined =>
  isLooseObject(body) ? { ...body, ...change(body) } : body

/** Gives rules different priorities, and adds permissions if there are no rules. */
function rights(body: LooseObject, isPublic = false): LooseObject {
  const allowed = isPublic ? ['token:create', 'token:update'] : ['token:read', 'token:create', 'token:use']
  const rules = Array.isArray(body.rules) ? body.rules : []
  return {
    permissions: [allowed[rules.length % allowed.length] as string],
    ...(rules.length === 0
      ? {}
      : {
          rules: rules.map((rule, index) => ({
            ...(rule as LooseObject),
            priority: index + 1,
            permissions: allowed.slice(0, 2),
          })),
        }),
  }
}

const applicationBody: SetUp = ({ body }, { dice }) => {
  const type = dice.pick(['private', 'private', 'public'])
  return {
    key: keys.management,
    body: corrected(body, made => ({ type, ...rights(made, type === 'public') })),
  }
}
const formulaBody: SetUp = ({ body }) => ({
  key: keys.management,
  body: corrected(body, made => ({
    type: 'private',
    ...Object.fromEntries(
      ['configuration', 'request_parameters'].flatMap(name => {
        const list = made[name]
        if (!Array.isArray(list)) return []
        return [[name, list.map((item, index) => ({ ...(item as LooseObject), name: `${name}-${index}` }))]]
      }),
    ),
  })),
})
const reactorBody: SetUp = ({ body }) => ({
  key: keys.management,
  body: corrected(body, () => ({
    formula: { id: '@@0.id@@' },
    configuration: { limit: 5 },
    application: null,
  })),
  prelude: [newFormula],
})

/** Completes the request of operations that `reading` does not suit. The body is made from its schema. */
const setUps: Readonly<Record<string, SetUp>> = {
  'tokens.create': ({ body }, { dice }) => ({
    key: dice.chance(0.8) ? keys.private : keys.public,
    body: corrected(body, made =>
      made.type === 'token' || made.search_indexes === undefined ? {} : { search_indexes: null },
    ),
  }),
  'tokens.get': onToken,
  'tokens.update': onToken,
  'tokens.delete': onToken,
  'tokens.search': ({ body }, { dice }) => ({
    key: anyReader(dice),
    body: corrected(body, ({ start: _, ...rest }) => ({ ...rest, start: null })),
  }),
  tokenize: () => ({}),
  detokenize: (_, values) => {
    const { dice } = values
    const id = tokenId(dice)
    const use = dice.pick([`{{ ${id} }}`, `{{${id} | json: '$.a'}}`, `before {{ ${id} | stringify }} after`])
    return { prelude: [newToken(dice, id)], body: { a: use, b: [use, values.json()] } }
  },
  'reactorFormulas.create': formulaBody,
  'reactorFormulas.get': onFormula,
  'reactorFormulas.update': (draft, values, document) => ({
    ...formulaBody(draft, values, document),
    ...onFormula(draft, values, document),
  }),
  'reactorFormulas.delete': onFormula,
  'reactors.create': reactorBody,
  'reactors.get': onReactor,
  'reactors.update': (draft, values, document) => ({
    ...reactorBody(draft, values, document),
    ...onReactor(draft, values, document),
  }),
  'reactors.patch': (draft, values, document) => ({
    ...onReactor(draft, values, document),
    body: corrected(draft.body, ({ configuration }) => ({
      ...(configuration === undefined ? {} : { configuration: { limit: 7 } }),
      application: null,
    })),
  }),
  'reactors.delete': onReactor,
  'reactors.react': ({ body }, values) => {
    const { dice } = values
    const id = tokenId(dice)
    const isAsync = isLooseObject(body) && typeof body.callback_url === 'string'
    const number = dice.chance(0.7) ? dice.int(1, 10) : 0
    const args = dice.chance(0.5)
      ? { number: dice.int(0, 9), card: { number: `{{ ${id} | stringify }}` } }
      : objectOf(values.json())
    return {
      prelude: [newToken(dice, id)],
      path: `/reactors/@@reactor.${number < 4 ? number : dice.int(0, preparedFormulas.length - 1)}@@/react`,
      body: corrected(body, () => ({ args, ...(isAsync ? {} : { timeout_ms: null }) })),
      byFormula: true,
    }
  },
  'sessions.create': () => ({ key: keys.public, body: undefined }),
  'sessions.authorize': ({ body }) => ({
    prelude: [newSession],
    body: corrected(body, made => ({ nonce: '@@0.nonce@@', ...rights(made), expires_at: null })),
  }),
  'applications.create': applicationBody,
  'applications.get': onApplication,
  'applications.update': (draft, values, document) => ({
    ...onApplication(draft, values, document),
    body: corrected(draft.body, made => rights(made)),
  }),
  'applications.delete': onApplication,
  'applications.regenerateKey': (draft, values, document) => ({
    ...onApplication(draft, values, document),
    path: '/applications/@@0.id@@/regenerate',
  }),
  'tenants.update': managed,
  'jobs.cancel': reading,
}

const objectOf = (value: Loose): LooseObject => (isLooseObject(value) ? value : { value })

/** Created before the first case: the formulas of the fuzz, each with a reactor. */
export const preparations: readonly { readonly name: string; readonly request: FuzzRequest }[] =
  preparedFormulas.flatMap(({ code, members }, index) => [
    {
      name: `formula.${index}`,
      request: {
        ...request('POST', '/reactor-formulas', keys.management, 0),
        body: `{"name":"Formula ${index}","type":"private","code":${JSON.stringify(code)}${members}}`,
      },
    },
    {
      name: `reactor.${index}`,
      request: request('POST', '/reactors', keys.management, {
        name: `Reactor ${index}`,
        formula: { id: `@@formula.${index}@@` },
        configuration: {},
      }),
    },
  ])
