// Checks rules of openapi.yaml that a general linter does not know, and on which the server's routing, the generated client
// and the conformance suite rely.
import { testRule } from '../../support/test-rule.ts'
import {
  allOperations,
  contract,
  isDevelopment,
  isObj,
  isOptional,
  list,
  METHODS,
  obj,
  operations,
  resolve,
  schemas,
  text,
} from './contract.ts'

const CORE: Record<string, string> = {
  'tokens.create': 'POST /tokens',
  'tokens.list': 'GET /tokens',
  'tokens.get': 'GET /tokens/{id}',
  'tokens.update': 'PATCH /tokens/{id}',
  'tokens.delete': 'DELETE /tokens/{id}',
  'tokens.search': 'POST /tokens/search',
  'reactorFormulas.create': 'POST /reactor-formulas',
  'reactorFormulas.list': 'GET /reactor-formulas',
  'reactorFormulas.get': 'GET /reactor-formulas/{id}',
  'reactorFormulas.update': 'PUT /reactor-formulas/{id}',
  'reactorFormulas.delete': 'DELETE /reactor-formulas/{id}',
  'reactors.create': 'POST /reactors',
  'reactors.list': 'GET /reactors',
  'reactors.get': 'GET /reactors/{id}',
  'reactors.update': 'PUT /reactors/{id}',
  'reactors.patch': 'PATCH /reactors/{id}',
  'reactors.delete': 'DELETE /reactors/{id}',
  'reactors.react': 'POST /reactors/{id}/react',
  'sessions.create': 'POST /sessions',
  'sessions.authorize': 'POST /sessions/authorize',
}

testRule('spells paths in lower case with hyphens', async t => {
  t.ok(operations.length > 20)
  // The linter's rule would also check the expression of a callback.
  for (const { path } of operations) t.match(path, /^(\/([a-z]+(-[a-z]+)*|\{[a-z_]+\}))+$/)
})

testRule('holds the operations of the core specification, and marks all others as extensions', async t => {
  const core = operations.filter(({ operation }) => operation['x-profile'] === undefined)
  t.strictSame(Object.fromEntries(core.map(({ id, route }) => [id, route])), CORE)
  for (const key of ['id', 'route'] as const)
    t.equal(new Set(operations.map(one => one[key])).size, operations.length, `each ${key} is unique`)
  const marks = JSON.stringify(contract).match(/"x-profile":"[^"]*"/g) ?? []
  const found = [...new Set(marks)].sort()
  t.strictSame(found, ['"x-profile":"dev"', '"x-profile":"surrogate"'], 'there is no other profile')
})

testRule('has the same rules for each operation of the proxy as for detokenizing', async t => {
  const proxied = allOperations.filter(isOptional)
  const detokenize = operations.find(({ id }) => id === 'detokenize')
  t.strictSame(
    proxied.map(({ id, route }) => [id, route]),
    METHODS.map(method => [`proxy.${method}`, `${method.toUpperCase()} /proxy`]),
  )
  for (const { id, operation } of proxied) {
    t.equal(operation['x-profile'], 'surrogate', id)
    t.equal(operation['x-option'], 'proxy', id)
    for (const rule of ['x-permission', 'x-application-types', 'x-session'])
      t.strictSame(operation[rule], detokenize?.operation[rule], `${id}: ${rule}`)
    t.notOk(operation['x-formula'], `${id}: formulas have their own way out`)
  }
})

testRule('keeps the operations of development servers apart', async t => {
  const development = allOperations.filter(isDevelopment)
  t.ok(development.length > 3)
  for (const { id, path, operation, statuses } of allOperations) {
    const isDev = development.some(one => one.id === id)
    t.equal(path.startsWith('/_dev/'), isDev, `${id}: the path`)
    t.equal(id.startsWith('dev.'), isDev, `${id}: the id`)
    t.equal(list(operation.tags)[0] === 'Development', isDev, `${id}: the tag`)
    if (!isDev) continue
    t.match(path, /^\/_dev(\/([a-z]+(-[a-z]+)*|\{[a-z_]+\}))+$/)
    for (const status of ['401', '403', '500', '503']) t.ok(statuses.includes(status), `${id}: ${status}`)
    const keys = list(operation['x-application-types'])
    const security = list(operation.security).map(one => Object.keys(obj(one)))
    const schemes = keys.length > 0 ? [['ApiKey'], ['ApiKey', 'DevToken']] : [[], ['DevToken']]
    t.strictSame(security, schemes, `${id}: keys and token`)
    t.ok(keys.length === 0 || (keys.length === 1 && keys[0] === 'management'), `${id}: a management key`)
  }
  const components = Object.entries(obj(contract.components)).filter(([kind]) => kind !== 'securitySchemes')
  for (const [kind, parts] of components) {
    for (const [name, part] of Object.entries(obj(parts)))
      t.equal(obj(part)['x-profile'] === 'dev', /^Dev[A-Z]/.test(name), `${kind} ${name}`)
  }
})

/** Requests that only read, and are posted for the length of what they ask for. */
const postedReads = ['tokens.search', 'detokenize']

testRule('declares the permission for each operation', async t => {
  const known = list(resolve({ $ref: '#/components/schemas/ApplicationPermission' }).enum)
  const kinds = (permission: string): string[] => {
    if (permission === 'token:create' || permission === 'token:update') return ['public', 'private']
    return permission.startsWith('token:') ? ['private'] : ['management']
  }
  const unguarded: Record<string, string[]> = {
    'sessions.create': ['public'],
    'sessions.authorize': ['private'],
    'applications.getByKey': ['public', 'private', 'management'],
    'tenants.get': ['private', 'management'],
    'tenants.permissions': ['public', 'private', 'management'],
  }
  const used = new Set<string>()
  for (const { id, operation } of operations) {
    const permission = operation['x-permission']
    if (typeof permission === 'string') used.add(permission)
    t.equal(permission === null, id in unguarded, `${id}: has a permission, unless it needs none`)
    t.strictSame(operation['x-application-types'], unguarded[id] ?? kinds(text(permission)), `${id}: kinds`)
    const isAboutTokens = text(permission).startsWith('token:')
    t.equal(operation['x-session'], isAboutTokens, `${id}: sessions`)
    t.equal(operation['x-formula'], isAboutTokens || undefined, `${id}: the client of a formula`)
  }
  t.strictSame([...used].sort(), [...known].sort(), 'every permission is used')
  const tokens = list(resolve({ $ref: '#/components/schemas/TokenPermission' }).enum)
  t.strictSame(
    tokens,
    known.filter(name => text(name).startsWith('token:')),
    'token permissions',
  )
})

testRule('describes all parts', async t => {
  for (const { id, operation, parameters } of allOperations) {
    t.ok(operation.description, `${id}: description`)
    t.equal(list(operation.tags).length, 1, `${id}: one tag`)
    for (const parameter of parameters) t.ok(parameter.description, `${id}: ${parameter.name}`)
  }
  for (const [name, schema] of Object.entries(obj(obj(contract.components).schemas)))
    t.ok(obj(schema).description, name)
  for (const [where, schema] of schemas()) {
    // A rule about other members, not a member.
    if (/ not\b/.test(where)) continue
    for (const [name, property] of Object.entries(obj(schema.properties))) {
      const named = isObj(property) && (property.const !== undefined || property.type === 'null')
      const described = obj(property).description ?? resolve(property).description
      if (!named && !(where.startsWith('AccessCondition') && name === 'operator'))
        t.ok(described, `${where}.${name}`)
    }
  }
})

testRule('has a problem document for every error', async t => {
  for (const { id, responses } of allOperations)
    for (const [status, response] of responses) {
      if (!/^[45]/.test(status)) continue
      const content = obj(response.content)
      t.strictSame(Object.keys(content), ['application/problem+json'], `${id} ${status}`)
      t.strictSame(
        obj(content['application/problem+json']).schema,
        { $ref: '#/components/schemas/Problem' },
        `${id} ${status}: the same shape`,
      )
    }
})

testRule('lists and explains every error code once', async t => {
  const type = obj(obj(resolve({ $ref: '#/components/schemas/Problem' }).properties).type)
  const codes = list(type.enum).map(urn => text(urn).replace(/^urn:surrogate:error:/, ''))
  for (const code of codes) t.match(code, /^[a-z_]+$/, code)
  const explained = [...text(type.description).matchAll(/`([a-z_]+)`/g)].map(match => text(match[1]))
  t.strictSame([...explained].sort(), [...codes].sort())
})

testRule('sends the trace id with every response', async t => {
  for (const { id, responses } of allOperations)
    for (const [status, response] of responses) {
      const header = obj(response.headers)['SVC-TRACE-ID']
      t.strictSame(header, { $ref: '#/components/headers/TraceId' }, `${id} ${status}`)
      const retry = obj(response.headers)['Retry-After']
      const isBusy = status === '503' || status === '429'
      t.equal(retry !== undefined, isBusy, `${id} ${status}: Retry-After where waiting helps`)
    }
})

testRule('lists the statuses of each operation', async t => {
  for (const { id, method, operation, parameters, statuses } of operations) {
    const has = (status: string) => statuses.includes(status)
    const body = operation.requestBody !== undefined
    const writes = method === 'post' || method === 'put' || method === 'patch'
    for (const status of ['401', '403', '429', '500', '503']) t.ok(has(status), `${id}: ${status}`)
    t.ok(
      statuses.some(status => status.startsWith('2')),
      `${id}: a success`,
    )
    t.ok(has('400'), `${id}: 400 for a parameter that it does not have`)
    t.equal(has('413'), writes, `${id}: 413 if there may be a body`)
    t.equal(has('415'), body, `${id}: 415 if there is a body`)
    if (parameters.some(parameter => parameter.in === 'path')) t.ok(has('404'), `${id}: 404`)
    t.notOk(has('405'), `${id}: no 405`)

    const repeatable = writes && !postedReads.includes(id)
    const names = parameters.map(parameter => parameter.name)
    t.equal(names.includes('SVC-IDEMPOTENCY-KEY'), repeatable, `${id}: idempotency key`)
    // 404 for a repeated request whose first result was deleted.
    if (repeatable) for (const status of ['409', '422']) t.ok(has(status), `${id}: ${status}`)
    // The tenant of a caller is never gone.
    if (repeatable) t.equal(has('404'), id !== 'tenants.update', `${id}: 404`)

    const media = Object.keys(obj(obj(operation.requestBody).content))
    const expected = method === 'patch' ? 'application/merge-patch+json' : 'application/json'
    if (body) t.strictSame(media, [expected], `${id}: ${expected}`)
  }
})

testRule('pages every list the same way', async t => {
  for (const { id, operation, responses, method } of operations) {
    if (!id.endsWith('.list') && id !== 'tokens.search') continue
    if (method === 'get')
      for (const name of ['Page', 'Size'])
        t.ok(
          list(operation.parameters).some(
            parameter => obj(parameter).$ref === `#/components/parameters/${name}`,
          ),
          `${id}: ${name}`,
        )
    const success = responses.find(([status]) => status === '200')
    const schema = resolve(obj(obj(obj(success?.[1]).content)['application/json']).schema)
    t.strictSame(schema.required, ['pagination', 'data'], id)
    t.strictSame(obj(schema.properties).pagination, { $ref: '#/components/schemas/Pagination' }, id)
  }
})
