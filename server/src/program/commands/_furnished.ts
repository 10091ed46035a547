import { webhooks as sdk } from '../../../../sdk/src/index.ts'
import { makeFormula, makeReactor } from '../../../verify/support/reactors.ts'
import type { Receiver } from '../../../verify/support/receiver.ts'
import { openTenant, type Reply, type Send, sender, type TestTenant } from '../../../verify/support/vault.ts'
import type { JsonValue } from '../../base/json/json.ts'
import { tokenTypes } from '../../generated/facts.ts'
import { openAuthorized, openSession } from '../../sessions/_fixture.ts'
import type { Vault } from '../../vault.ts'

/** A request whose answer shows a part of the store. */
type Question = readonly [
  key: string | undefined,
  method: string,
  path: string,
  body?: JsonValue,
  headers?: Record<string, string>,
]

/** A vault with at least one record of every kind, and requests that read all of it. */
interface Furnished {
  readonly tenant: TestTenant
  /** Reads the audit log of the tenant. Other reads add entries to it. */
  log(vault: Vault): Promise<string[]>
  /** Reads everything else, byte for byte. */
  answers(vault: Vault): Promise<string[]>
  /** A session and its nonce, which can be used once. */
  readonly session: { readonly key: string; readonly nonce: string }
  /** Repeats a request with its idempotency key. */
  repeat(vault: Vault): Promise<Reply>
  readonly replayed: Reply
  /** Verifies and returns the last delivery, signed with the tenant's webhook secret. */
  delivery(receiver: Receiver): Promise<unknown>
}

const types: JsonValue[] = [
  {
    type: 'token',
    data: { deep: [1, 'two', null] },
    metadata: { Colour: 'red' },
    containers: ['/a/b/', '/c/'],
  },
  ...Object.entries(tokenTypes).map(([type, { example }]) => ({ type, data: example })),
  { type: 'card', data: { ...tokenTypes.card.example, cvc: '123' } },
  { type: 'token', data: 'soon over', expires_at: '2999-01-01T00:00:00+02:00' },
  { type: 'token', data: 'only once', deduplicate_token: true },
  { type: 'token', data: 'found by its end', search_indexes: ['{{ data | last4 }}'] },
]

/** @param receiver has to refuse deliveries, so that a job waits */
export async function furnish(vault: Vault, receiver: Receiver): Promise<Furnished> {
  const tenant = await openTenant(vault, { operator: true })
  const other = await openTenant(vault)
  await other.send('POST', '/tokens', { id: 'of another', type: 'token', data: 'apart' })
  const ids: string[] = []
  for (const body of types) ids.push(expect(await tenant.send('POST', '/tokens', body), 201).json.id)
  const [changed = '', , , , deleted = ''] = ids
  expect(await tenant.send('PATCH', `/tokens/${changed}`, { metadata: { colour: 'blue' } }), 200)
  expect(await tenant.send('DELETE', `/tokens/${deleted}`), 204)
  for (let index = 0; index < 45; index++)
    expect(await tenant.send('POST', '/tokens', { id: `many-${index}`, type: 'token', data: index }), 201)

  const code = 'module.exports = async ({ args, configuration }) => ({ raw: { args, configuration } })'
  const formula = await makeFormula(tenant, code, {
    type: 'official',
    configuration: [{ name: 'LIMIT', type: 'number' }],
  })
  const reactor = await makeReactor(tenant, formula.id, { configuration: { LIMIT: 7 } })
  const application = await tenant.application({ permissions: ['token:read', 'token:use'] })
  const react = { args: { text: `{{ ${changed} | json: '$.deep' }}` } }
  const hook = { ...react, callback_url: `${receiver.origin}/hook` }
  expect(await tenant.send('POST', `/reactors/${reactor.id}/react`, hook), 202)
  // The first attempt fails, and the job waits for its next one.
  await vault.clock.advance(0)

  const granted = await openAuthorized(tenant, { permissions: ['token:read'] })
  const waiting = await openSession(tenant)
  const once = (from: Vault) =>
    sender(from, tenant.privateKey)('POST', '/tokens', { type: 'token', data: 'made once' }, idempotency)
  expect(await once(vault), 201)
  const replayed = expect(await once(vault), 201)

  const { next } = expect(await tenant.send('GET', '/tokens?size=25'), 200).json.pagination
  const { privateKey, managementKey, publicKey } = tenant
  const questions: Question[] = [
    ...ids.map((id): Question => [privateKey, 'GET', `/tokens/${encodeURIComponent(id)}`]),
    ...ids.map((id): Question => [application.key, 'GET', `/tokens/${encodeURIComponent(id)}`]),
    ...[1, 2, 3].map((page): Question => [privateKey, 'GET', `/tokens?page=${page}&size=25`]),
    ...[
      'type:card',
      'metadata.colour:blue',
      'data:"6789"',
      'container:"/a/*" OR NOT type:token',
      'data:" end"',
    ].map((query): Question => [privateKey, 'POST', '/tokens/search', { query }]),
    [privateKey, 'GET', `/tokens?size=25&start=${next}`],
    [managementKey, 'GET', '/applications'],
    [managementKey, 'GET', '/reactors'],
    [managementKey, 'GET', `/reactors/${reactor.id}`],
    [managementKey, 'GET', '/reactor-formulas'],
    [other.managementKey, 'GET', '/reactor-formulas'],
    [other.privateKey, 'GET', '/tokens'],
    [other.privateKey, 'GET', `/tokens/${changed}`],
    [publicKey, 'GET', '/applications/key'],
    [granted.key, 'GET', `/tokens/${changed}`],
    [privateKey, 'POST', `/reactors/${reactor.id}/react`, react],
  ]
  return {
    tenant,
    log: from =>
      ask(
        from,
        [1, 2].map(page => [managementKey, 'GET', `/logs?size=100&page=${page}`]),
      ),
    answers: from => ask(from, questions),
    session: { key: waiting.key, nonce: waiting.nonce },
    repeat: once,
    replayed,
    delivery: async ({ received }) => {
      const delivery = received.at(-1)
      return sdk.verify(delivery?.body ?? '', delivery?.headers ?? {}, tenant.webhookSecret)
    },
  }
}

async function ask(vault: Vault, questions: readonly Question[]): Promise<string[]> {
  const answers: string[] = []
  for (const [key, method, path, body, headers] of questions) {
    const { status, text } = await sender(vault, key)(method, path, body, headers)
    // A problem names the exchange it was made in.
    answers.push(`${method} ${path} ${status} ${text.replace(/"(trace_id|instance)":"[^"]*"/g, '')}`)
  }
  return answers
}

const idempotency = { 'SVC-IDEMPOTENCY-KEY': 'the same once more' }

function expect(reply: Awaited<ReturnType<Send>>, status: number) {
  if (reply.status !== status) throw new Error(`${reply.status}: ${reply.text}`)
  return reply
}
