import t from 'tap'
import { makeToken, openReactors, reactorOn } from '../../verify/support/reactors.ts'
import { openTenant } from '../../verify/support/vault.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import type { Invocation, ServiceRequest } from '../sandbox/sandbox.ts'

/** The client that formulas get. */
const vault = openReactors(t)

t.test('rights are those of the moment', async t => {
  const tenant = await openTenant(vault)
  const soon = new Date((await vault.clock.now()) + 60_000).toISOString()
  const application = await tenant.application({ permissions: ['token:create'], expires_at: soon })
  const code = `module.exports = async ({ svc }) => {
    try { return { raw: typeof (await svc.tokens.create({ type: 'token', data: 1 })).id } }
    catch (error) { return { raw: error.status } }
  }`
  const react = await reactorOn(tenant, code, { reactor: { application: { id: application.id } } })
  t.equal((await react()).json.raw, 'string')
  const change = { name: 'A', permissions: ['token:update'], expires_at: soon }
  await tenant.asManagement('PUT', `/applications/${application.id}`, change)
  t.equal((await react()).json.raw, 403)
  await vault.clock.advance(60_000)
  t.equal((await react()).json.raw, 401)
})

/** A vault whose formulas are these requests of a client, one after another. */
function asking(requests: () => readonly ServiceRequest[], answers: { status: number; text: string }[]) {
  return {
    run: async ({ svc }: Invocation) => {
      for (const request of requests()) {
        const answer = await svc?.(request)
        const body = answer?.body ?? ''
        answers.push({
          status: answer?.status ?? 0,
          text: typeof body === 'string' ? body : Buffer.from(body).toString(),
        })
      }
      return { kind: 'answered' } as const
    },
    close: async () => {},
  }
}

const request = (method: string, path: string, headers: Record<string, string> = {}, body?: JsonValue) => ({
  method,
  path,
  headers: { 'Content-Type': 'application/json', ...headers },
  ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
})

t.test('a formula cannot choose its caller, and reaches nothing outside the contract', async t => {
  const answers: { status: number; text: string }[] = []
  let requests: ServiceRequest[] = []
  const vault = openReactors(t, {}, { sandbox: asking(() => requests, answers) })
  const [tenant, other] = [await openTenant(vault), await openTenant(vault)]
  const application = await tenant.application({ permissions: ['token:create'] })
  const react = await reactorOn(tenant, '-', { reactor: { application: { id: application.id } } })
  const forged = {
    'SVC-API-KEY': other.privateKey,
    'svc-api-key': tenant.managementKey,
    origin: 'https://a.example',
  }
  const keyed = { 'SVC-IDEMPOTENCY-KEY': 'same' }
  const token = { type: 'token', data: 'x' }
  requests = [
    request('POST', '/tokens', forged, token),
    request('post', '/tokens/?', {}, token),
    request('GET', '/tokens', forged),
    request('POST', '/_dev/reset', {}, {}),
    request('POST', '/_dev/tenants', {}, { operator: true }),
    request('GET', '/docs'),
    request('GET', '/healthz'),
    request('OPTIONS', '/tokens', { origin: 'https://a.example', 'access-control-request-method': 'POST' }),
    request('GET', 'tokens'),
    request('GET', 'https://example.org/tokens'),
    request('GET', '/tokens/../applications/key'),
    request('PATCH', '/tokens/abc', {}, {}),
    { ...request('POST', '/tokens'), body: Buffer.alloc(1024 * 1024 + 1, 32) },
  ]
  await react({}, { 'SVC-TRACE-ID': 'of the invocation' })
  const [own, lower, ...others] = answers
  t.match(JSON.parse(own?.text ?? ''), { created_by: application.id })
  t.match(JSON.parse(lower?.text ?? ''), { created_by: application.id })
  const statuses = others.map(({ status }) => status)
  t.same(statuses, [403, 404, 404, 404, 404, 405, 404, 404, 404, 403, 413])
  t.match(JSON.parse(others[0]?.text ?? ''), { instance: 'urn:surrogate:trace:of%20the%20invocation' })
  t.equal((await tenant.send('GET', '/tokens')).status, 200, 'nothing was reset')

  const creator = await tenant.application({ permissions: ['token:create'] })
  const creating = await reactorOn(tenant, '-', { reactor: { application: { id: creator.id } } })
  answers.length = 0
  requests = [
    request('POST', '/tokens', keyed, token),
    request('POST', '/tokens', keyed, token),
    { ...request('POST', '/tokens'), body: Buffer.alloc(1024 * 1024 + 1, 32) },
    request('PATCH', '/tokens/abc', {}, {}),
  ]
  await creating()
  const [first, again, large, patch] = answers
  t.equal(first?.status, 201)
  const found = JSON.parse(again?.text ?? '')
  t.same(found, JSON.parse(first?.text ?? ''), 'an idempotency key means here what it means everywhere')
  t.match({ large, patch }, { large: { status: 413 }, patch: { status: 403 } })
  const kept = await creator('POST', '/tokens', token, keyed)
  t.not(kept.json.id, JSON.parse(first?.text ?? '').id, "the application's own key keeps its own answers")
})

t.test('an answer that is too large for a formula is refused', async t => {
  for (const dev of [true, false]) {
    const answers: { status: number; text: string }[] = []
    const sandbox = asking(() => [request('GET', '/tokens'), request('GET', '/tokens?size=2')], answers)
    const tenant = await openTenant(openReactors(t, { dev }, { sandbox }))
    for (let count = 0; count < 8; count++) await makeToken(tenant, { data: 'x'.repeat(900_000) })
    const reveal = { priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] }
    const application = await tenant.application({ rules: [reveal] })
    await (await reactorOn(tenant, '-', { reactor: { application: { id: application.id } } }))()
    t.match(answers, [{ status: 413, text: /payload_too_large/ }, { status: 200 }], `dev: ${dev}`)
  }
})

t.test('a token made by a nested invocation belongs to the application that invoked', async t => {
  const tenant = await openTenant(vault)
  const application = await tenant.application({ permissions: ['token:use'] })
  const inner = await reactorOn(tenant, "module.exports = () => ({ tokenize: 'x' })")
  const code = `module.exports = async ({ svc, args }) => ({ raw: (await svc.reactors.react(args.inner, {})).tokens })`
  const outer = await reactorOn(tenant, code, { reactor: { application: { id: application.id } } })
  const { json } = await outer({ args: { inner: inner.id } })
  const token: JsonObject = (await tenant.send('GET', `/tokens/${json.raw}`)).json
  t.match(token, { data: 'x', created_by: application.id })
})
