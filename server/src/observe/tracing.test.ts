// In a process of its own: it registers an OpenTelemetry SDK, which is one for all of a process.
import { createRequire } from 'node:module'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import t from 'tap'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { createTracing } from './tracing.ts'

t.test('without an SDK nothing is traced, although the API is installed', async t => {
  t.equal(await createTracing('1.0.0'), undefined)
  t.ok(createRequire(import.meta.url).resolve('@opentelemetry/api'))
})

const exporter = new InMemorySpanExporter()

/** Registers the SDK, as an operator's module for `--import` does. */
function register(): void {
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  )
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
}

const spans = () => exporter.getFinishedSpans()
const named = (name: string) => spans().filter(span => span.name === name)

t.test('requests, their commits and formulas are spans of one trace', async t => {
  register()
  const tenant = await openTenant(openVault(t))
  exporter.reset()
  t.equal((await tenant.send('POST', '/tokens', { id: 'one', type: 'token', data: 1 })).status, 201)
  const [request] = named('POST /tokens')
  const [commit] = named('commit')
  t.equal(request?.kind, SpanKind.SERVER)
  t.same(request?.attributes, {
    'http.request.method': 'POST',
    'http.route': '/tokens',
    'surrogate.operation': 'tokens.create',
    'http.response.status_code': 201,
  })
  t.equal(request?.parentSpanContext, undefined)
  t.equal(commit?.parentSpanContext?.spanId, request?.spanContext().spanId)
  t.same(commit?.attributes, { 'surrogate.outcome': 'ok' })
  t.ok(Number(request?.duration[1]) > Number(commit?.duration[1]))

  const react = await reactorOn(
    tenant,
    'module.exports = ({ args }) => { if (args.fail) throw new Error(args.fail) }',
  )
  exporter.reset()
  t.equal((await react({ args: { fail: 'canary' } })).status, 500)
  const [formula] = named('formula')
  const [reaction] = named('POST /reactors/{id}/react')
  t.equal(formula?.parentSpanContext?.spanId, reaction?.spanContext().spanId)
  t.same(formula?.attributes, { 'surrogate.lane': 'sync', 'surrogate.outcome': 'threw' })
  t.equal(reaction?.status.code, SpanStatusCode.ERROR)

  exporter.reset()
  await tenant.as('unknown')('GET', '/tokens/one')
  await tenant.send('GET', '/nowhere')
  const found = named('GET /tokens/{id}')[0]?.attributes
  t.match(found, { 'http.response.status_code': 401 }, 'a refused one, too')
  t.same(named('HTTP')[0]?.attributes, { 'http.response.status_code': 404 })
})

t.test('a webhook is a trace of its own, and tells its receiver nothing of it', async t => {
  const vault = openVault(t, { allowPrivateCallbacks: true })
  const tenant = await openTenant(vault)
  const react = await reactorOn(tenant, 'module.exports = () => ({ raw: 1 })')
  const receiver = await openReceiver(t)
  exporter.reset()
  t.equal((await react({ callback_url: receiver.origin })).status, 202)
  await vault.clock.advance(0)
  for (const name of ['webhook', 'formula']) {
    const [span] = named(name)
    t.equal(span?.parentSpanContext, undefined, name)
    t.not(span?.spanContext().traceId, named('POST /reactors/{id}/react')[0]?.spanContext().traceId, name)
  }
  t.equal(named('webhook')[0]?.kind, SpanKind.CLIENT)
  t.same(named('webhook')[0]?.attributes, { 'surrogate.outcome': '2xx' })
  const [{ headers } = { headers: {} }] = receiver.received
  const left = Object.keys(headers).filter(name => /trace(parent|state)|baggage/.test(name))
  t.same(left, [])
  t.ok('svc-trace-id' in headers, 'control')
})

const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
const traceparent = `00-${traceId}-${spanId}-01`

t.test('the trace of a request is continued for private and management keys only', async t => {
  const vault = openVault(t)
  const tenant = await openTenant(vault)
  const session = await tenant.asPublic('POST', '/sessions')
  await tenant.send('POST', '/sessions/authorize', { nonce: session.json.nonce, permissions: ['token:read'] })
  const parentIn = async (key: string | undefined, path: string, given = traceparent) => {
    exporter.reset()
    const headers = { traceparent: given, tracestate: 'a=canary', baggage: 'b=canary' }
    await tenant.as(key)('GET', path, undefined, headers)
    const [span] = spans().filter(({ kind }) => kind === SpanKind.SERVER)
    if (span?.parentSpanContext) t.equal(span.spanContext().traceId, traceId)
    else t.not(span?.spanContext().traceId, traceId)
    t.notMatch(JSON.stringify([span?.attributes, span?.spanContext()]), 'canary')
    return span?.parentSpanContext?.spanId
  }
  t.equal(await parentIn(tenant.privateKey, '/tokens'), spanId)
  t.equal(await parentIn(tenant.managementKey, '/reactors'), spanId)
  for (const key of [tenant.publicKey, session.json.session_key, 'unknown'])
    t.equal(await parentIn(key, '/applications/key'), undefined, key)
  for (const given of [
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `ff-${traceId}-${spanId}-01`,
    `${traceparent}-x`,
    '',
  ])
    t.equal(await parentIn(tenant.privateKey, '/tokens', given), undefined, given)
  t.equal(await parentIn(tenant.privateKey, '/tokens'), spanId, 'control')
})

t.test('in process, a request belongs to the active span of its caller', async t => {
  const tenant = await openTenant(openVault(t))
  exporter.reset()
  const outer = trace.getTracer('test').startSpan('outer')
  await context.with(trace.setSpan(context.active(), outer), () =>
    tenant.send('GET', '/tokens', undefined, { traceparent }),
  )
  const [request] = named('GET /tokens')
  t.equal(request?.parentSpanContext?.spanId, outer.spanContext().spanId)
  t.equal(request?.kind, SpanKind.INTERNAL)
})

t.test('spans have no id, value or text of a caller', async t => {
  const vault = openVault(t, { allowPrivateCallbacks: true })
  const tenant = await openTenant(vault)
  const receiver = await openReceiver(t)
  exporter.reset()
  const canary = 'canary-4242424242424242'
  const token = { id: canary, type: 'token', data: canary }
  await tenant.send('POST', '/tokens', token, { 'SVC-TRACE-ID': canary })
  await tenant.send('GET', `/tokens/${canary}`, undefined, { 'User-Agent': canary })
  await tenant.send('GET', `/tokens/${canary}?${canary}=1`)
  const react = await reactorOn(tenant, 'module.exports = ({ args }) => { throw new Error(args.a) }')
  await react({ args: { a: canary } })
  await react({ args: { a: canary }, callback_url: `${receiver.origin}/${canary}` })
  await vault.clock.advance(0)
  t.ok(spans().length > 8)
  for (const { name, attributes, events, links, status } of spans()) {
    const text = JSON.stringify({ name, attributes, events, links, status })
    t.notMatch(text, 'canary')
    t.notMatch(text, tenant.tenantId)
    t.notMatch(text, react.id)
    t.same(events, [], 'no exception, whose message could quote a value')
  }
})

t.teardown(() => {
  trace.disable()
  context.disable()
})
