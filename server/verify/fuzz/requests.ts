import fc from 'fast-check'
import { type Operation, operations } from './document.ts'
import { anyText, isList, isMembers, type Json, type JsonMembers, text, weighted } from './texts.ts'
import { type Mode, Values } from './values.ts'

/** A request made from the contract. Path and body may name a prepared record, such as `@token@`. */
export interface FuzzRequest {
  readonly operation: Operation
  readonly path: string
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly body: Json | undefined
  readonly idempotencyKey: string | undefined
}

/** Records that a request can name: each run makes them anew. */
export const prepared = ['token', 'formula', 'reactor', 'application', 'nonce'] as const
export type Prepared = (typeof prepared)[number]

const namedInPath: readonly (readonly [prefix: string, name: Prepared])[] = [
  ['/tokens/', 'token'],
  ['/reactor-formulas/', 'formula'],
  ['/reactors/', 'reactor'],
  ['/applications/', 'application'],
]

/** Operations with more rules than others. */
const weights: Readonly<Record<string, number>> = {
  ...{ 'tokens.create': 8, 'tokens.update': 4, 'tokens.search': 4, tokenize: 3, detokenize: 3 },
  ...{ 'applications.create': 2, 'tokens.list': 2 },
}

/** Requests of every operation. */
export function requests(mode: Mode): fc.Arbitrary<FuzzRequest> {
  const values = new Values(mode)
  return weighted(...operations.map(one => [weights[one.id] ?? 1, requestOf(one, values, mode)] as const))
}

function requestOf(operation: Operation, values: Values, mode: Mode): fc.Arbitrary<FuzzRequest> {
  const body = operation.body === undefined ? fc.constant(undefined) : values.of(operation.body)
  const corrected = body.map(made => correct(operation.id, made))
  return fc.record({
    operation: fc.constant(operation),
    path: pathOf(operation, values, mode),
    query: queryOf(operation, values),
    body: mode === 'strict' ? corrected : weighted([3, corrected], [1, body]),
    idempotencyKey: weighted([19, fc.constant(undefined)], [1, text`fuzz-${fc.uuid()}`]),
  })
}

function pathOf({ path, parameters }: Operation, values: Values, mode: Mode): fc.Arbitrary<string> {
  const [, name] = namedInPath.find(([prefix]) => path.startsWith(prefix)) ?? []
  if (!path.includes('{')) return fc.constant(path)
  const schema = parameters.find(one => one.in === 'path')?.schema ?? {}
  const drawn = fc.oneof(values.of(schema, 'id').map(String), anyText).map(made => encoded(made))
  const segment =
    name === undefined
      ? drawn
      : mode === 'strict'
        ? fc.constant(`@${name}@`)
        : weighted([9, fc.constant(`@${name}@`)], [1, drawn])
  return segment.map(made => path.replace(/\{\w+\}/, () => made))
}

/** Like `encodeURIComponent`, which throws for lone surrogates. */
export const encoded = (value: string) => encodeURIComponent(value.toWellFormed())

function queryOf({ parameters }: Operation, values: Values): fc.Arbitrary<FuzzRequest['query']> {
  const pairs = parameters
    // A cursor has to come from a response.
    .filter(one => one.in === 'query' && one.name !== 'start')
    .map(({ name, schema }) =>
      weighted<readonly (readonly [string, string])[]>(
        [7, fc.constant([])],
        [
          3,
          values.of(schema, name).map(value => {
            if (isMembers(value))
              return Object.entries(value).map(([key, item]) => [`${name}.${key}`, String(item)] as const)
            return [value].flat().map(item => [name, String(item)] as const)
          }),
        ],
      ),
    )
  return fc.tuple(...pairs).map(made => made.flat())
}

/** Makes members agree that depend on each other or on other records, which a schema cannot express. */
function correct(id: string, body: Json | undefined): Json | undefined {
  return isMembers(body) ? { ...body, ...corrections[id]?.(body) } : body
}

const formula = (body: JsonMembers): JsonMembers => ({
  type: 'private',
  configuration: renamed(body.configuration),
  request_parameters: renamed(body.request_parameters),
})
const renamed = (list: Json | undefined): Json =>
  isList(list) ? list.filter(isMembers).map((item, at) => ({ ...item, name: `name-${at}` })) : []

/** Gives rules different priorities, and permissions that the application may have. */
function rights(body: JsonMembers): JsonMembers {
  const permissions = ['token:read', 'token:create']
  const rules = isList(body.rules) ? body.rules.filter(isMembers) : []
  return { permissions, rules: rules.map((rule, at) => ({ ...rule, priority: at + 1, permissions })) }
}

const corrections: Readonly<Record<string, (body: JsonMembers) => JsonMembers>> = {
  'tokens.create': body => (body.type === 'token' ? {} : { search_indexes: null }),
  'tokens.search': () => ({ start: null }),
  detokenize: () => ({ a: '{{ @token@ }}', b: "text {{ @token@ | json: '$.a' }}" }),
  'reactorFormulas.create': formula,
  'reactorFormulas.update': formula,
  'reactors.create': () => ({ formula: { id: '@formula@' }, configuration: {}, application: null }),
  'reactors.update': () => ({ configuration: {}, application: null }),
  'reactors.patch': () => ({ configuration: {}, application: null }),
  'reactors.react': body => ({
    args: isMembers(body.args) ? body.args : { card: '{{ @token@ }}' },
    ...(typeof body.callback_url === 'string' ? {} : { timeout_ms: null }),
  }),
  'sessions.authorize': body => ({ nonce: '@nonce@', expires_at: null, ...rights(body) }),
  'applications.create': body => ({ type: 'private', ...rights(body) }),
  'applications.update': rights,
}
