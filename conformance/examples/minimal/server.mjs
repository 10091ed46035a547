/**
 * A tokenization server as small as the specification allows: tokens of each type, for one application in each of two
 * tenants. It shows how far a first day leads; it is not a vault.
 * `PRIVATE_KEY=… OTHER_PRIVATE_KEY=… PORT=4100 node server.mjs`
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { Invalid, idFor, mergePatch, shown, validated } from './tokens.mjs'

const { PRIVATE_KEY, OTHER_PRIVATE_KEY, PORT = '0' } = process.env
if (!PRIVATE_KEY) throw new Error('PRIVATE_KEY is required')
/** Tenants by the keys of their applications. */
const tenants = new Map(
  [PRIVATE_KEY, OTHER_PRIVATE_KEY]
    .filter(key => key)
    .map(key => [key, { id: randomUUID(), application: randomUUID(), tokens: new Map() }]),
)

const isLive = token => token.expires_at === undefined || Date.parse(token.expires_at) > Date.now()
const find = (tokens, id) => {
  const token = tokens.get(id)
  return token && isLive(token) ? token : undefined
}

const operations = {
  'POST /tokens'({ id: tenant_id, application, tokens }, given) {
    const id = idFor(given)
    const token = { id, tenant_id, ...validated(given), created_by: application }
    if (find(tokens, id)) return [409]
    tokens.set(id, { ...token, created_at: new Date().toISOString() })
    return [201, shown(tokens.get(id), false)]
  },
  'GET /tokens'({ tokens }, _given, _id, query) {
    const [ids, types] = [query.getAll('id'), query.getAll('type')]
    const wanted = new Map()
    for (const [name, value] of query)
      if (name.startsWith('metadata.') && !wanted.has(name)) wanted.set(name, value.toLowerCase())
    const data = [...tokens.values()].filter(
      token =>
        isLive(token) &&
        (ids.length === 0 || ids.includes(token.id)) &&
        (types.length === 0 || types.includes(token.type)) &&
        [...wanted].every(([name, value]) => token.metadata?.[name.slice(9)]?.toLowerCase() === value),
    )
    return [200, { pagination: {}, data: data.slice(0, 100) }]
  },
  'GET /tokens/{id}'({ tokens }, _given, id) {
    const token = find(tokens, id)
    return token ? [200, shown(token, true)] : [404]
  },
  'PATCH /tokens/{id}'({ application, tokens }, patch, id) {
    const token = find(tokens, id)
    if (!token) return [404]
    const merged = mergePatch(token, { ...patch, type: token.type })
    const modified = { modified_by: application, modified_at: new Date().toISOString() }
    tokens.set(id, { ...token, ...validated(merged), ...modified })
    return [200, shown(tokens.get(id), true)]
  },
  'DELETE /tokens/{id}': ({ tokens }, _given, id) => (find(tokens, id) && tokens.delete(id) ? [204] : [404]),
}

async function respond(request) {
  const url = new URL(request.url, 'http://server')
  const [, collection, part] = url.pathname.split('/')
  const name = `${request.method} /${collection}${part === undefined ? '' : '/{id}'}`
  const tenant = tenants.get(request.headers['svc-api-key'])
  if (!tenant) return [401]
  if (!Object.hasOwn(operations, name)) return [404]
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
    return operations[name](tenant, given, part && decodeURIComponent(part), url.searchParams)
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
