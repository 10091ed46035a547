import { createHash } from 'node:crypto'
import type { Target } from '../../src/harness/target.ts'
import {
  any,
  type Body,
  bodyOf,
  changeRequest,
  changeResponse,
  failing,
  intercept,
  keyOf,
  type Mutant,
  type Mutants,
  madeUp,
  requestFrom,
  responseFrom,
  token,
  tokenSearch,
  tokens,
} from '../mutate.ts'

const keysOf = ({ privateKey, publicKey, managementKey }: Target) =>
  [privateKey, publicKey, managementKey].filter(key => key !== undefined)

/** Takes a key for another one that it resembles. */
const takesKeys = (isLike: (given: string, key: string) => boolean): Mutant['change'] =>
  intercept('GET|POST|PUT|PATCH|DELETE', any, (received, send, target) => {
    const given = keyOf(received)
    const key = given && keysOf(target).find(one => isLike(given, one))
    return send(key ? { key } : {})
  })

/** Answers with a token whose id resembles the one of the path, if there is none of that id. */
const takesIds =
  (isLike: (given: string, id: string) => boolean): Mutant['change'] =>
  (next, target) => {
    const ids = new Set<string>()
    const remember = changeResponse('POST', tokens, body => {
      ids.add(body.id)
      return body
    })(next, target)
    return intercept('GET', token, async received => {
      const response = await remember(requestFrom(received))
      const given = decodeURIComponent(received.path.slice('/tokens/'.length))
      const id =
        response.status === 404 ? [...ids].find(one => one !== given && isLike(given, one)) : undefined
      return id === undefined ? response : remember(requestFrom(received, { path: `/tokens/${id}` }))
    })(remember, target)
  }

/** Adds an index value to each token that has some, and does not show it. */
const alsoFinds =
  (expression: string): Mutant['change'] =>
  (next, target) => {
    const hide = (body: Body): Body =>
      Array.isArray(body?.search_indexes)
        ? { ...body, search_indexes: body.search_indexes.filter((one: string) => one !== expression) }
        : Array.isArray(body?.data) && body.pagination
          ? { ...body, data: body.data.map(hide) }
          : body
    const shown = changeResponse('GET|POST|PATCH', /^\/tokens/, hide)(next, target)
    return changeRequest('POST', tokens, body =>
      body?.type === 'token' && String(body.search_indexes) === '{{ data }}'
        ? { ...body, search_indexes: [...body.search_indexes, expression] }
        : body,
    )(shown, target)
  }

/** Shows another fingerprint of texts that it does not read whole. */
const fingerprintsOf = (read: (data: string) => string): Mutant['change'] =>
  intercept('POST', tokens, async (received, send) => {
    const response = await send()
    const { data, fingerprint_expression } = received.body ?? {}
    if (!response.ok || fingerprint_expression !== undefined || typeof data !== 'string') return response
    if (read(data) === data) return response
    const fingerprint = createHash('sha256').update(read(data)).digest('hex')
    return responseFrom(response, { body: { ...(await bodyOf(response)), fingerprint } })
  })

/** Mutants that take one thing for another that resembles it. */
export const nearMutants: Mutants = {
  'keys-in-any-case': failing('AUT-001.key-other-case').by(
    takesKeys((given, key) => given.toLowerCase() === key.toLowerCase()),
  ),
  'keys-cut': failing('AUT-001.key-cut').by(
    takesKeys((given, key) => given.length > 15 && key.startsWith(given)),
  ),
  'ids-by-prefix': failing('TOK-054.id-cut').by(
    takesIds((given, id) => given.length > 8 && id.startsWith(given)),
  ),
  'ids-in-any-case': failing('TOK-550.id-other-case').by(
    takesIds((given, id) => given.toLowerCase() === id.toLowerCase()),
  ),
  // A UUID in capitals is that of no token.
  'uuids-in-one-case': failing(
    'TOK-561.token',
    'TOK-561.list',
    'TOK-561.payload',
    'TOK-561.rule',
    'TOK-561.args',
  ).intercept('GET|POST|PATCH|DELETE', any, (received, send) => {
    const { path, search, body } = received
    const replaced = (text: string) =>
      text.replace(/[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}/g, id =>
        /[A-F]/.test(id) ? '00000000-0000-4000-8000-000000000000' : id,
      )
    const changes = { path: replaced(path), search: replaced(search) }
    if (body === undefined) return send(changes)
    return send({ ...changes, body: JSON.parse(replaced(JSON.stringify(body))) })
  }),
  'search-takes-types-by-prefix': failing('SEA-020.near-prefix').changeRequest('POST', tokenSearch, body =>
    typeof body?.query === 'string'
      ? { ...body, query: body.query.replaceAll(/type:card\b(?!_)/g, '(type:card OR type:card_number)') }
      : body,
  ),
  // Data that differs in case has the same fingerprint.
  'fingerprints-fold-case': failing('TOK-016.near-case').by(fingerprintsOf(data => data.toLowerCase())),
  'finds-a-prefix-of-an-index': failing('SEA-025.near-short-prefix').by(
    alsoFinds('{{ data | slice: 0, 12 }}'),
  ),
  'metadata-filter-by-prefix': failing('TOK-021.near-prefix').by((next, target) => {
    const values = new Set<string>()
    const remember = changeRequest('POST', tokens, body => {
      for (const value of Object.values(body?.metadata ?? {}))
        if (typeof value === 'string') values.add(value)
      return body
    })(next, target)
    return intercept('GET', tokens, received => {
      const search = received.search.replaceAll(/(metadata\.[^=]+=)([^&]+)/g, (all, name, given) =>
        values.has(decodeURIComponent(given))
          ? all
          : `${name}${[...values].find(one => one.startsWith(decodeURIComponent(given))) ?? given}`,
      )
      return remember(requestFrom(received, { search }))
    })(remember, target)
  }),
  // Everybody gets what the first caller got under an idempotency key.
  'idempotency-of-all-callers': failing('IDE-501.other-caller').by(next => {
    const made = new Map<string, string>()
    return intercept('POST', tokens, async received => {
      const key = received.headers.get('SVC-IDEMPOTENCY-KEY')
      const known = key === null ? undefined : made.get(key)
      if (known?.startsWith(`${received.text}\n`) && !known.endsWith(`\n${keyOf(received)}`)) {
        const [, text = ''] = known.split('\n')
        return madeUp(text, 201)
      }
      const response = await next(requestFrom(received))
      if (response.ok && key !== null)
        made.set(key, `${received.text}\n${await response.clone().text()}\n${keyOf(received)}`)
      return response
    })(next, undefined as never)
  }),
  // A rule on /a/ covers /ab/, too.
  'rules-by-prefix': failing('AUT-017.near').by((next, target) => {
    const containers = new Map<string, string>()
    const remember = changeResponse('POST', /^\/applications$/, (body, { body: given }) => {
      const [rule] = given.rules ?? []
      if (rule?.container) containers.set(body.key, rule.container.slice(0, -1))
      return body
    })(next, target)
    return intercept('GET', token, async received => {
      const response = await remember(requestFrom(received))
      const container = containers.get(keyOf(received) ?? '')
      if (container === undefined || ![403, 404].includes(response.status)) return response
      const whole = await remember(requestFrom(received, { key: target.privateKey }))
      const [first = ''] = (await bodyOf(whole))?.containers ?? []
      return first.startsWith(container) && !first.startsWith(`${container}/`) ? whole : response
    })(remember, target)
  }),
  'priorities-reversed': failing('AUT-019.get').changeRequest(
    'POST',
    /^\/(applications|sessions\/authorize)$/,
    body =>
      body?.rules?.length > 1 &&
      body.rules.every((one: Body) => Number.isInteger(one?.priority) && one.priority > 0)
        ? { ...body, rules: body.rules.map((one: Body) => ({ ...one, priority: 1_000 - one.priority })) }
        : body,
  ),
  'direct-permission-reveals': failing('AUT-018.get', 'AUT-018.search').by((next, target) => {
    const direct = new Set<string>()
    const remember = changeResponse('POST', /^\/applications$/, (body, { body: given }) => {
      if (given.permissions?.length > 0 && !given.rules) direct.add(body.key)
      return body
    })(next, target)
    return intercept('GET|POST', /^\/tokens(\/|$)/, async received => {
      const response = await remember(requestFrom(received))
      const isRead = received.method === 'GET' || received.path.endsWith('/search')
      return response.ok && isRead && direct.has(keyOf(received) ?? '')
        ? remember(requestFrom(received, { key: target.privateKey }))
        : response
    })(remember, target)
  }),
}
