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

/** A call of each operation. The compiler checks that none is missing or surplus. */
const calls: Record<keyof Operations, (surrogate: Surrogate) => PromiseLike<unknown>> = {
  'tokens.create': s => s.tokens.create(card),
  'tokens.list': s => s.tokens.list(),
  'tokens.get': s => s.tokens.get(id),
  'tokens.update': s => s.tokens.update(id, { metadata: null }),
  'tokens.delete': s => s.tokens.delete(id),
  'tokens.search': s => s.tokens.search({ query: 'type:card' }),
  tokenize: s => s.tokenize({ card }),
  detokenize: s => s.detokenize('{{ an-id }}'),
  'reactorFormulas.create': s => s.reactorFormulas.create(formula),
  'reactorFormulas.list': s => s.reactorFormulas.list(),
  'reactorFormulas.get': s => s.reactorFormulas.get(id),
  'reactorFormulas.update': s => s.reactorFormulas.update(id, formula),
  'reactorFormulas.delete': s => s.reactorFormulas.delete(id),
  'reactors.create': s => s.reactors.create({ ...reactor, formula: { id } }),
  'reactors.list': s => s.reactors.list(),
  'reactors.get': s => s.reactors.get(id),
  'reactors.update': s => s.reactors.update(id, reactor),
  'reactors.patch': s => s.reactors.patch(id, { application: null }),
  'reactors.delete': s => s.reactors.delete(id),
  'reactors.react': s => s.reactors.react(id, { args: { a: 1 } }),
  'sessions.create': s => s.sessions.create(),
  'sessions.authorize': s => s.sessions.authorize({ nonce: 'a', permissions: ['token:read'] }),
  'applications.create': s => s.applications.create({ ...application, permissions: ['token:read'] }),
  'applications.list': s => s.applications.list(),
  'applications.get': s => s.applications.get(id),
  'applications.getByKey': s => s.applications.getByKey(),
  'applications.update': s => s.applications.update(id, { name: 'a', permissions: ['token:read'] }),
  'applications.delete': s => s.applications.delete(id),
  'applications.regenerateKey': s => s.applications.regenerateKey(id),
  'tenants.get': s => s.tenants.get(),
  'tenants.update': s => s.tenants.update({ name: 'a' }),
  'tenants.permissions': s => s.tenants.permissions(),
  'logs.list': s => s.logs.list(),
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

t.test('the client has every operation of the contract and no other', async t => {
  t.same(Object.keys(calls).sort(), contract.map(({ operationId }) => operationId).sort())
})

for (const { operationId, path, method, parameters = [], requestBody } of contract) {
  t.test(`${operationId} sends the request that the contract describes`, async t => {
    const { surrogate, sent } = fakeClient(() => json({ pagination: {}, data: [] }))
    await calls[operationId as keyof Operations](surrogate)
    t.equal(sent.length, 1)
    const [request] = sent
    t.equal(request?.method, method.toUpperCase())
    t.equal(request?.path, path.replace('{id}', id))
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
  t.same(
    sent.map(({ body }) => JSON.parse(body)),
    [card, { data: { cvc: null }, metadata: { a: null } }, ['ä', 1, true]],
  )
})

t.test('calls return the parsed body, or undefined if there is none', async t => {
  const answers = [json({ a: 1 }), new Response(null, { status: 204 }), new Response('', { status: 200 })]
  const { surrogate } = fakeClient(() => answers.shift() ?? new Response(null, { status: 202 }))
  t.same(await surrogate.tokens.get(id), { a: 1 })
  t.equal(await surrogate.tokens.delete(id), undefined)
  t.equal(await surrogate.sessions.authorize({ nonce: 'a' }), undefined)
  t.equal(await surrogate.reactors.react(id, {}), undefined)
})
