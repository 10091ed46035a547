/**
 * A tokenization server as small as the specification allows: tokens of each type, and access rules, for two tenants. It
 * shows how far the first days lead; it is not a vault.
 * `PRIVATE_KEY=… MANAGEMENT_KEY=… OTHER_PRIVATE_KEY=… PORT=4100 node server.mjs`
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { everything, newApplication, transformOf, validatedApplication } from './access.mjs'
import { Invalid } from './checks.mjs'
import { idFor, mergePatch, shown, validated } from './tokens.mjs'

const { PRIVATE_KEY, MANAGEMENT_KEY, OTHER_PRIVATE_KEY, PORT = '0' } = process.env
if (!PRIVATE_KEY) throw new Error('PRIVATE_KEY is required')

/** Callers by their keys: an application, and its tenant. */
const callers = new Map()
function addTenant(privateKey, managementKey) {
  const tenant = { id: randomUUID(), tokens: new Map(), applications: new Map() }
  const add = (given, key) => key && callers.set(key, { tenant, application: newApplication(given, key) })
  add(everything, privateKey)
  add({ type: 'management' }, managementKey)
}
addTenant(PRIVATE_KEY, MANAGEMENT_KEY)
if (OTHER_PRIVATE_KEY) addTenant(OTHER_PRIVATE_KEY)

const now = () => new Date().toISOString()
const isLive = token => token.expires_at === undefined || Date.parse(token.expires_at) > Date.now()
const find = (tokens, id) => {
  const token = tokens.get(id)
  return token && isLive(token) ? token : undefined
}
const mayDo = (application, permission) =>
  [...application.permissions, ...application.rules.flatMap(rule => rule.permissions)].includes(permission)

/** Handles a request for one token, if the application may do this with it. */
const withToken = (permission, handle) => (caller, given, id) => {
  const token = find(caller.tenant.tokens, id)
  if (!token) return [mayDo(caller.application, permission) ? 404 : 403]
  return transformOf(caller.application, permission, token.containers) === undefined
    ? [403]
    : handle(caller, token, given)
}

const tokenOperations = {
  'POST /tokens'({ tenant, application }, given) {
    if (!mayDo(application, 'token:create')) return [403]
    const token = { id: idFor(given), tenant_id: tenant.id, ...validated(given), created_by: application.id }
    const transform = transformOf(application, 'token:create', token.containers)
    if (transform === undefined) return [403]
    if (find(tenant.tokens, token.id)) return [409]
    tenant.tokens.set(token.id, { ...token, created_at: now() })
    return [201, shown(tenant.tokens.get(token.id), transform === 'reveal' ? 'mask' : transform)]
  },
  'GET /tokens'({ tenant, application }, _given, _id, query) {
    if (!mayDo(application, 'token:read')) return [403]
    const [ids, types] = [query.getAll('id'), query.getAll('type')]
    const wanted = new Map()
    for (const [name, value] of query)
      if (name.startsWith('metadata.') && !wanted.has(name)) wanted.set(name, value.toLowerCase())
    const data = [...tenant.tokens.values()].flatMap(token => {
      const transform = transformOf(application, 'token:read', token.containers)
      const isFound =
        transform !== undefined &&
        isLive(token) &&
        (ids.length === 0 || ids.includes(token.id)) &&
        (types.length === 0 || types.includes(token.type)) &&
        [...wanted].every(([name, value]) => token.metadata?.[name.slice(9)]?.toLowerCase() === value)
      return isFound ? [shown(token, transform)] : []
    })
    return [200, { pagination: {}, data: data.slice(0, 100) }]
  },
  'GET /tokens/{id}': withToken('token:read', ({ application }, token) => [
    200,
    shown(token, transformOf(application, 'token:read', token.containers)),
  ]),
  'PATCH /tokens/{id}': withToken('token:update', ({ tenant, application }, token, patch) => {
    const next = validated(mergePatch(token, { ...patch, type: token.type }))
    if (transformOf(application, 'token:update', next.containers) === undefined) return [403]
    const shownTo = one => shown(one, transformOf(application, 'token:read', one.containers))
    const isSame = one => one.id !== token.id && isLive(one) && one.fingerprint === next.fingerprint
    const original = patch.deduplicate_token && [...tenant.tokens.values()].find(isSame)
    if (original) return [200, shownTo(original)]
    tenant.tokens.set(token.id, { ...token, ...next, modified_by: application.id, modified_at: now() })
    return [200, shownTo(tenant.tokens.get(token.id))]
  }),
  'DELETE /tokens/{id}': withToken('token:delete', ({ tenant }, token) => {
    tenant.tokens.delete(token.id)
    return [204]
  }),
}

/** Returns an application as a response shows it: the key only once. */
const withoutKey = ({ key, ...application }) => application
const applicationOperations = {
  'POST /applications'({ tenant, application }, given) {
    const own = { tenant_id: tenant.id, created_by: application.id, created_at: now() }
    const made = newApplication({ ...validatedApplication(given), ...own })
    tenant.applications.set(made.id, made)
    callers.set(made.key, { tenant, application: made })
    return [201, made]
  },
  'GET /applications'({ tenant }, _given, _id, query) {
    const size = Number(query.get('size') ?? 20)
    const start = (Number(query.get('page') ?? 1) - 1) * size
    const data = [...tenant.applications.values()].slice(start, start + size).map(withoutKey)
    return [200, { pagination: {}, data }]
  },
  'GET /applications/{id}'({ tenant }, _given, id) {
    const found = tenant.applications.get(id)
    return found ? [200, withoutKey(found)] : [404]
  },
  'PUT /applications/{id}'({ tenant, application }, given, id) {
    const found = tenant.applications.get(id)
    if (!found) return [404]
    const changed = validatedApplication({ ...given, type: found.type })
    Object.assign(found, changed, { modified_by: application.id, modified_at: now() })
    return [200, withoutKey(found)]
  },
  'DELETE /applications/{id}'({ tenant }, _given, id) {
    const found = tenant.applications.get(id)
    if (!found) return [404]
    callers.delete(found.key)
    tenant.applications.delete(id)
    return [204]
  },
}

/** The operations of a kind of caller. */
const operationsOf = ({ application }) =>
  application.type === 'management' ? applicationOperations : tokenOperations
const operations = { ...tokenOperations, ...applicationOperations }

async function respond(request) {
  const url = new URL(request.url, 'http://server')
  const [, collection, part] = url.pathname.split('/')
  const name = `${request.method} /${collection}${part === undefined ? '' : '/{id}'}`
  const caller = callers.get(request.headers['svc-api-key'])
  if (!caller) return [401]
  if (!Object.hasOwn(operations, name)) return [404]
  if (!Object.hasOwn(operationsOf(caller), name)) return [403]
  const type = request.headers['content-type']?.split(';')[0]
  if (request.method === 'PATCH' && type !== 'application/merge-patch+json') return [415]
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > 1_000_000) return [413]
    chunks.push(chunk)
  }
  try {
    const given = size === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString())
    if (typeof given !== 'object' || given === null) return [400]
    return operations[name](caller, given, part && decodeURIComponent(part), url.searchParams)
  } catch (error) {
    if (error instanceof Invalid || error instanceof SyntaxError || error instanceof URIError) return [400]
    throw error
  }
}

const server = createServer(async (request, response) => {
  const [status, body] = await respond(request).catch(() => [500])
  const text = status >= 400 ? { status } : body
  response.writeHead(status, text && { 'Content-Type': 'application/json' })
  response.end(text && JSON.stringify(text))
})
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`)
})
