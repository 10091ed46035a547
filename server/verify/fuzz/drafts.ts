import fc from 'fast-check'
import { keys } from './callers.ts'
import { type FuzzRequest, request } from './case.ts'
import type { Operation } from './document.ts'
import { type Draw, percent, text, weighted } from './draw.ts'
import { preparedFormulas } from './formulas.ts'
import { anyJson, isList, isMembers, type Json, type JsonMembers, writeJson } from './texts.ts'
import type { Values } from './values.ts'

/** A request in parts, for mutations. */
export interface Draft {
  readonly operation: Operation
  readonly prelude: readonly FuzzRequest[]
  readonly path: string
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly key: string
  readonly body: Json | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly byFormula: boolean
}

export function toRequest({ operation, path, query, key, headers, body }: Draft): FuzzRequest {
  const search = query.map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`).join('&')
  const target = search === '' ? path : `${path}?${search}`
  return request(operation.method, target, key, body === undefined ? undefined : writeJson(body), headers)
}

/** Like `encodeURIComponent`, which throws for lone surrogates. */
const percentEncoded = (value: string) => encodeURIComponent(value.toWellFormed())

const newToken = request('POST', '/tokens', keys.private, {
  ...{ type: 'token', data: { a: 1, b: ['x', null] }, metadata: { k: 'v' } },
  ...{ mask: '{{ data | stringify | reveal_last: 4 }}', search_indexes: ['{{ data | stringify }}'] },
})
export const newFormula = (key: string, code: string, more: object = {}) =>
  request('POST', '/reactor-formulas', key, { name: 'F', type: 'private', code, ...more })
export const newReactor = (key: string, formula: string, configuration: object = {}) =>
  request('POST', '/reactors', key, { name: 'R', formula: { id: formula }, configuration })

const limited = newFormula(keys.management, 'module.exports = async req => ({ raw: req.args })', {
  configuration: [{ name: 'limit', type: 'number' }],
})
const limitedReactor = newReactor(keys.management, '@@0.id@@', { limit: 1 })
/** Of an origin that the targets of the fuzz allow. */
const destination_url = 'https://api.example.com/v1'
const newApplication = request('POST', '/applications', keys.management, {
  ...{ name: 'A', type: 'private', permissions: ['token:read'] },
})

const newProxy = request('POST', '/proxies', keys.management, { name: 'P', destination_url })

/** Requests that make what a path names by its id, by the first segment of the path. */
const made: Readonly<Record<string, readonly FuzzRequest[]>> = {
  tokens: [newToken],
  'reactor-formulas': [limited],
  reactors: [limited, limitedReactor],
  proxies: [newProxy],
  applications: [newApplication],
}
const preludeOf = (operation: Operation) =>
  operation.path.includes('{') || isOfMany(operation) ? made[operation.path.split('/')[1] ?? ''] : []

/** False for an operation on records that no request of the fuzz makes. */
export const canSucceed = (operation: Operation) => preludeOf(operation) !== undefined

/** True for a list or search that shows each key other records. */
const isOfMany = ({ method, path, applicationTypes }: Operation) =>
  (method === 'GET' || path.endsWith('/search')) && !path.includes('{') && `${applicationTypes}` === 'private'

/** Draws a key that may call an operation. */
function keyFor(operation: Operation, draw: Draw): string {
  const types = operation.applicationTypes.map(type => keys[type])
  if (!types.includes(keys.private)) return draw(fc.constantFrom(...types))
  const others = isOfMany(operation) ? [keys.masked, keys.restricted] : types
  return draw(weighted([2, fc.constant(keys.private as string)], [1, fc.constantFrom(...others)]))
}

/**
 * Draws a request of an operation, with the requests that prepare it.
 * @param isOdd true if its members need not agree with each other
 */
export function draft(operation: Operation, draw: Draw, values: Values, isOdd: boolean): Draft {
  const prelude = preludeOf(operation)
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (prelude) return `@@${prelude.length - 1}.id@@`
    const { schema } = operation.parameters.find(one => one.in === 'path' && one.name === name) ?? {}
    return percentEncoded(String(schema && draw(values.of(schema, name))))
  })
  const plain: Draft = {
    operation,
    prelude: prelude ?? [],
    path,
    query: queryOf(operation, draw, values),
    key: keyFor(operation, draw),
    body: operation.body && draw(values.of(operation.body)),
    headers:
      operation.method !== 'GET' && draw(percent(5))
        ? [['SVC-IDEMPOTENCY-KEY', draw(text`fuzz-${fc.nat(5)}-${fc.uuid()}`)]]
        : [],
    byFormula: false,
  }
  const corrected = { ...plain, ...corrections[operation.id]?.(plain, draw) }
  const { body } = plain
  if (!isOdd || draw(percent(30)) || body === undefined) return corrected
  if (!isMembers(body) || !isMembers(corrected.body)) return { ...corrected, body }
  const keeps = draw(fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }))
  const kept = Object.entries(body).filter((_, at) => keeps[at % keeps.length])
  return { ...corrected, body: { ...corrected.body, ...Object.fromEntries(kept) } }
}

function queryOf(operation: Operation, draw: Draw, values: Values): [string, string][] {
  return (
    operation.parameters
      // A cursor has to come from a response, and a log that is followed does not end.
      .filter(one => one.in === 'query' && !['start', 'follow'].includes(one.name) && draw(percent(30)))
      .flatMap(({ name, schema }): [string, string][] => {
        const value = draw(values.of(schema, name))
        if (isMembers(value))
          return Object.entries(value).map(([key, item]) => [`${name}.${key}`, String(item)])
        return [value].flat().map(item => [name, String(item)])
      })
  )
}

/** Gives rules different priorities, and adds permissions if there are no rules. */
function rights(body: JsonMembers, isPublic = false): JsonMembers {
  const allowed = isPublic ? ['token:create', 'token:update'] : ['token:read', 'token:create', 'token:use']
  const rules = isList(body.rules) ? body.rules.filter(isMembers) : []
  const permissions = allowed.slice(0, 2)
  if (rules.length === 0) return { permissions }
  return { permissions, rules: rules.map((rule, index) => ({ ...rule, priority: index + 1, permissions })) }
}

const change = ({ body }: Draft, by: (body: JsonMembers) => JsonMembers): Partial<Draft> =>
  isMembers(body) ? { body: { ...body, ...by(body) } } : {}
const formulaBody = (draft: Draft) =>
  change(draft, body => {
    const renamed = ['configuration', 'request_parameters'].map(name => {
      const list = isList(body[name]) ? body[name].filter(isMembers) : []
      return [name, list.map((item, index) => ({ ...item, name: `${name}-${index}` }))]
    })
    return { type: 'private', ...Object.fromEntries(renamed) }
  })
const reactorBody = (draft: Draft): Partial<Draft> => ({
  prelude: draft.prelude.length > 0 ? draft.prelude : [limited],
  ...change(draft, () => ({ formula: { id: '@@0.id@@' }, configuration: { limit: 5 }, application: null })),
})

const proxyBody = (draft: Draft) =>
  change(draft, body => ({
    ...('destination_url' in body ? { destination_url } : {}),
    application: null,
  }))

/** Corrects members that depend on each other or on other records, which a schema cannot express. */
const corrections: Readonly<Record<string, (draft: Draft, draw: Draw) => Partial<Draft>>> = {
  'tokens.create': draft => change(draft, body => (body.type === 'token' ? {} : { search_indexes: null })),
  'tokens.search': draft => change(draft, () => ({ start: null })),
  'tokens.deleteMany': (_, draw) => {
    const prelude = [newToken, newToken].slice(0, draw(fc.integer({ min: 1, max: 2 })))
    return { prelude, body: { ids: prelude.map((_, at) => `@@${at}.id@@`) } }
  },
  'tokens.lookup': draft => change(draft, () => ({ type: 'token' })),
  'applications.revokeKey': () => ({
    prelude: [newApplication, request('POST', '/applications/@@0.id@@/keys', keys.management)],
    path: '/applications/@@0.id@@/keys/@@1.id@@',
  }),
  detokenize: (_, draw) => {
    const use = draw(
      fc.constantFrom('{{ @@0.id@@ }}', "{{@@0.id@@ | json: '$.a'}}", 'a {{ @@0.id@@ | stringify }} b'),
    )
    return { prelude: [newToken], body: { a: use, b: [use, draw(anyJson(true))] } }
  },
  'reactorFormulas.create': formulaBody,
  'reactorFormulas.update': formulaBody,
  'reactors.create': reactorBody,
  'reactors.update': reactorBody,
  'reactors.patch': draft =>
    change(draft, body => ({
      ...(body.configuration ? { configuration: { limit: 7 } } : {}),
      application: null,
    })),
  'proxies.create': proxyBody,
  'proxies.update': proxyBody,
  'proxies.patch': proxyBody,
  'reactors.react': (draft, draw) => {
    const reactor = draw(weighted([7, fc.nat(3)], [3, fc.nat(preparedFormulas.length - 1)]))
    const any = draw(anyJson(true))
    const known = { number: draw(fc.nat(9)), card: { number: '{{ @@0.id@@ | stringify }}' } }
    const args = draw(fc.boolean()) ? known : isMembers(any) ? any : { value: any }
    return {
      prelude: [newToken],
      path: `/reactors/@@reactor.${reactor}@@/react`,
      ...change(draft, body => ({
        args,
        ...(typeof body.callback_url === 'string' ? {} : { timeout_ms: null }),
      })),
      byFormula: true,
    }
  },
  'sessions.create': () => ({ body: undefined }),
  'sessions.authorize': draft => ({
    prelude: [request('POST', '/sessions', keys.public)],
    ...change(draft, body => ({ nonce: '@@0.nonce@@', ...rights(body), expires_at: null })),
  }),
  'applications.create': (draft, draw) => {
    const type = draw(fc.constantFrom('private', 'private', 'public'))
    return change(draft, body => ({ type, ...rights(body, type === 'public') }))
  },
  'applications.update': draft => change(draft, body => rights(body)),
}

/** Created before the first case: the formulas of the fuzz, each with a reactor. */
export const preparations: readonly (readonly [name: string, request: FuzzRequest])[] =
  preparedFormulas.flatMap(({ code, ...more }, index) => [
    [`formula.${index}`, newFormula(keys.management, code, more)],
    [`reactor.${index}`, newReactor(keys.management, `@@formula.${index}@@`)],
  ])
