import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { apiKey, fakeClient, json } from '../testing/fakes.ts'
import type { Operations } from './generated/operations.gen.ts'
import type { Surrogate } from './index.ts'

const id = 'an-id'
const card = { type: 'card', data: { number: '4242424242424242' } } as const
const formula = { name: 'a', type: 'private', code: '' } as const
const reactor = { name: 'a', configuration: {} }
const application = { name: 'a', type: 'private', permissions: ['token:read'] } as const

type Send = (surrogate: Surrogate) => PromiseLike<unknown>

/** A call of each operation that takes more than an id. */
const calls: Partial<Record<keyof Operations, Send>> = {
  'tokens.create': s => s.tokens.create(card),
  'tokens.update': s => s.tokens.update(id, { metadata: null }),
  'tokens.search': s => s.tokens.search({ query: 'type:card' }),
  tokenize: s => s.tokenize({ card }),
  detokenize: s => s.detokenize('{{ an-id }}'),
  'reactorFormulas.create': s => s.reactorFormulas.create(formula),
  'reactorFormulas.update': s => s.reactorFormulas.update(id, formula),
  'reactors.create': s => s.reactors.create({ ...reactor, formula: { id } }),
  'reactors.update': s => s.reactors.update(id, reactor),
  'reactors.patch': s => s.reactors.patch(id, { application: null }),
  'reactors.react': s => s.reactors.react(id, { args: { a: 1 } }),
  'sessions.authorize': s => s.sessions.authorize({ nonce: 'a', permissions: ['token:read'] }),
  'applications.create': s => s.applications.create({ ...application, permissions: ['token:read'] }),
  'applications.update': s => s.applications.update(id, { name: 'a', permissions: ['token:read'] }),
  'tenants.update': s => s.tenants.update({ name: 'a' }),
}

interface Operation {
  operationId: string
  'x-profile'?: string
  'x-option'?: string
  parameters?: { $ref?: string }[]
  requestBody?: { content: object }
}

const { paths } = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'))
const contract = Object.entries<Record<string, Operation>>(paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
    // The former are in the client of development servers, the latter only on some servers.
    .filter(([, operation]) => operation['x-profile'] !== 'dev' && operation['x-option'] === undefined)
    .map(([method, operation]) => ({ path, method, ...operation })),
)

/** Calls the method that has the name of the operation, with an id for each that its path has. */
const callByName =
  ({ operationId, path }: { operationId: string; path: string }): Send =>
  surrogate => {
    const [resource = '', name = ''] = operationId.split('.')
    const methods = surrogate[resource as keyof Surrogate] as unknown as Record<string, Call>
    return (
      methods[name]?.(...(path.match(/\{/g) ?? []).map(() => id)) ??
      Promise.reject(new Error(`no ${operationId}`))
    )
  }
type Call = (...ids: string[]) => PromiseLike<unknown>

/** Methods that are another use of an operation. */
const variants = ['tokens.deleteEach']

t.test('the client has no operation that the contract has not', async t => {
  const { surrogate } = fakeClient(() => json({}))
  const known = new Set([...contract.map(({ operationId }) => operationId), ...variants])
  for (const [resource, methods] of Object.entries(surrogate)) {
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(methods))
    t.ok(names.length > 1)
    for (const name of names.filter(name => name !== 'constructor'))
      t.ok(known.has(`${resource}.${name}`), `${resource}.${name}`)
  }
})

for (const operation of contract) {
  const { operationId, path, method, parameters = [], requestBody } = operation
  t.test(`${operationId} sends the request that the contract describes`, async t => {
    const { surrogate, sent } = fakeClient(() => json({ pagination: {}, data: [] }))
    await (calls[operationId as keyof Operations] ?? callByName(operation))(surrogate)
    t.equal(sent.length, 1)
    const [request] = sent
    t.equal(request?.method, method.toUpperCase())
    t.equal(request?.path, path.replaceAll(/\{\w+\}/g, id))
    t.equal(request?.query, '')
    t.equal(request?.headers.get('svc-api-key'), apiKey)
    t.equal(request?.headers.get('content-type'), Object.keys(requestBody?.content ?? {})[0] ?? null)
    t.equal(request?.body !== '', requestBody !== undefined, 'has a body only if the contract has one')
    const idempotent = parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey'))
    t.equal(request?.headers.has('svc-idempotency-key'), idempotent)
  })
}

t.test('bodies are sent unchanged', async t => {
  const { surrogate, sent } = fakeClient(() => json({}))
  await surrogate.tokens.create(card)
  await surrogate.tokens.update(id, { data: { cvc: null }, metadata: { a: null } })
  await surrogate.tokenize(['ä', 1, true])
  const found = sent.map(({ body }) => JSON.parse(body))
  t.same(found, [card, { data: { cvc: null }, metadata: { a: null } }, ['ä', 1, true]])
})

t.test('calls return the parsed body, or undefined if there is none', async t => {
  const answers = [json({ a: 1 }), new Response(null, { status: 204 }), new Response('', { status: 200 })]
  const { surrogate } = fakeClient(() => answers.shift() ?? new Response(null, { status: 204 }))
  t.same(await surrogate.tokens.get(id), { a: 1 })
  t.equal(await surrogate.tokens.delete(id), undefined)
  t.equal(await surrogate.sessions.authorize({ nonce: 'a' }), undefined)
  t.equal(await surrogate.reactors.react(id, {}), undefined)
})

t.test('an invocation whose result follows as a webhook resolves with the trace id', async t => {
  const headers = { 'svc-trace-id': 'a-trace' }
  const answers = [new Response(null, { status: 202, headers }), json({ raw: 1 }), json('chosen', 202)]
  const { surrogate } = fakeClient(() => answers.shift() ?? json({}))
  const body = { callback_url: 'https://a.test' }
  t.same(await surrogate.reactors.react(id, body), { traceId: 'a-trace' })
  t.same(await surrogate.reactors.react(id, body), { raw: 1 }, 'control: a result')
  t.equal(await surrogate.reactors.react(id, {}), 'chosen', 'a body that the formula chose')
})
