import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { reactorOn } from '../../verify/support/reactors.ts'
import { openReceiver } from '../../verify/support/receiver.ts'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { admissionBounds } from '../base/limits.ts'
import { readOperations } from '../contract/backend.ts'
import type { Vault } from '../vault.ts'

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads the metrics of a vault over its port for them. */
async function scrape(vault: Vault): Promise<{ text: string; samples: Sample[]; value: Value }> {
  const { url, close } = await vault.listenForMetrics()
  const response = await fetch(`${url}/metrics`)
  const text = await response.text()
  await close()
  const samples = [...text.matchAll(/^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value]) => ({
      name,
      labels: Object.fromEntries(
        [...labels.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key, text]) => [key, text]),
      ),
      value: Number(value),
    }),
  )
  const value: Value = (name, labels = {}) =>
    samples.find(
      one => one.name === name && Object.entries(labels).every(([key, text]) => one.labels[key] === text),
    )?.value
  return { text, samples, value }
}

type Value = (name: string, labels?: Record<string, string>) => number | undefined

/** Opens a vault that keeps metrics, with a tenant. */
async function open(t: Parameters<typeof openVault>[0], options: object = {}) {
  const vault = openVault(t, { metrics: true, ...options })
  return { vault, tenant: await openTenant(vault) }
}

t.test('admitted work is shown by kind, with its limit and its refusals', async t => {
  const target = createServer(() => {}).listen(0, '127.0.0.1')
  t.teardown(() => target.closeAllConnections())
  t.teardown(() => target.close())
  await once(target, 'listening')
  const origin = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
  const bounds = { proxied: { total: 9, tenant: 1 } }
  const options = { metrics: true, proxyMapOrigins: { 'https://api.example.com': origin } }
  const vault = openVault(t, options, { admissionBounds: bounds })
  const tenant = await openTenant(vault)
  const call = () => tenant.send('POST', '/proxy', {}, { 'SVC-PROXY-URL': 'https://api.example.com/' })
  const waiting = call()
  await once(target, 'request')
  t.equal((await call()).status, 429)
  const { value } = await scrape(vault)
  t.equal(value('surrogate_admission_limit', { kind: 'proxied' }), 9)
  t.equal(value('surrogate_admitted', { kind: 'proxied' }), 1)
  t.equal(value('surrogate_admitted', { kind: 'formulas' }), 0)
  t.equal(value('surrogate_admission_refused_total', { kind: 'proxied', scope: 'tenant' }), 1)
  target.closeAllConnections()
  await waiting
  for (const kind of Object.keys(admissionBounds)) {
    t.type(value('surrogate_admitted', { kind }), 'number', kind)
    t.type(value('surrogate_admission_limit', { kind }), 'number', kind)
  }
})

t.test('requests are counted by operation and status, and timed', async t => {
  const { vault, tenant } = await open(t)
  await tenant.send('POST', '/tokens', { id: 'one', type: 'token', data: 1 })
  for (let i = 0; i < 3; i++) await tenant.send('GET', '/tokens/one')
  await tenant.send('GET', '/tokens/none')
  await tenant.as('wrong')('GET', '/tokens/one')
  await tenant.send('GET', '/nowhere')
  const { value } = await scrape(vault)
  for (const [operation, status, count] of [
    ['tokens.create', '201', 1],
    ['tokens.get', '200', 3],
    ['tokens.get', '404', 1],
    ['tokens.get', '401', 1],
    ['none', '404', 1],
  ] as const)
    t.equal(value('surrogate_requests_total', { operation, status }), count, `${operation} ${status}`)
  t.equal(value('surrogate_request_duration_seconds_count', { operation: 'tokens.get' }), 5)
  t.ok(Number(value('surrogate_request_duration_seconds_sum', { operation: 'tokens.get' })) > 0)
  t.equal(value('surrogate_requests_in_flight'), 0)
  t.ok(Number(value('surrogate_store_operations_total', { operation: 'commit', outcome: 'ok' })) > 0)
  t.ok(Number(value('surrogate_store_operation_duration_seconds_count', { operation: 'get' })) > 0)
  t.equal(value('surrogate_store_works'), 1)
})

t.test('formulas, their processes, jobs and webhooks are counted', async t => {
  const { vault, tenant } = await open(t, { allowPrivateCallbacks: true })
  const code = `const { CustomHttpResponseError } = require('@surrogate/formula-errors')
    module.exports = async ({ args }) => {
      if (args.status) throw new CustomHttpResponseError({ status: args.status })
      if (args.fail) throw new Error('no')
      return { raw: 1 }
    }`
  const react = await reactorOn(tenant, code)
  t.equal((await react({ args: {} })).status, 200)
  t.equal((await react({ args: { fail: true } })).status, 500)
  for (const status of [299, 418, 419]) t.equal((await react({ args: { status } })).status, status)
  const receiver = await openReceiver(t, (_request, _response, count) => (count === 1 ? 500 : 200))
  t.equal((await react({ args: {}, callback_url: receiver.origin })).status, 202)
  await vault.clock.advance(0)
  await vault.clock.advance(60 * 60 * 1000)

  const { value } = await scrape(vault)
  for (const [name, labels, expected] of [
    ['formulas_total', { lane: 'sync', outcome: 'answered' }, 1],
    ['formulas_total', { lane: 'sync', outcome: 'threw' }, 1],
    ['formulas_total', { lane: 'sync', outcome: 'custom' }, 3],
    ['formulas_total', { lane: 'async', outcome: 'answered' }, 1],
    ['formula_duration_seconds_count', { lane: 'sync' }, 5],
    ['formulas_waiting', { lane: 'sync' }, 0],
    // Statuses that the contract has not.
    ['requests_total', { operation: 'reactors.react', status: '2xx' }, 1],
    ['requests_total', { operation: 'reactors.react', status: '4xx' }, 2],
    ['requests_total', { operation: 'reactors.react', status: '299' }, undefined],
    ['jobs_accepted_total', {}, 1],
    ['jobs_performed_total', {}, 1],
    ['webhook_attempts_total', { outcome: '5xx' }, 1],
    ['webhook_attempts_total', { outcome: '2xx' }, 1],
    ['webhooks_delivered_total', {}, 1],
    ['webhooks_given_up_total', {}, 0],
    ['jobs', { stage: 'delivery', state: 'due' }, 0],
  ] as const)
    t.equal(value(`surrogate_${name}`, labels), expected, `${name} ${JSON.stringify(labels)}`)
  for (const name of ['formula_processes', 'formula_processes_started_total'])
    t.ok(Number(value(`surrogate_${name}`)) >= 1, name)
})

t.test('a process that is ended is counted by the reason, a webhook that is given up too', async t => {
  const { vault, tenant } = await open(t, { allowPrivateCallbacks: true })
  const greedy = await reactorOn(
    tenant,
    'module.exports = () => { for (const kept = []; ; ) kept.push(Array(1e5).fill(0)) }',
  )
  const receiver = await openReceiver(t, () => 500)
  t.equal((await greedy({ args: {}, callback_url: receiver.origin, timeout_ms: 210_000 })).status, 202)
  for (let i = 0; i < 12; i++) await vault.clock.advance(60 * 60 * 1000)
  const { value } = await scrape(vault)
  t.equal(value('surrogate_formulas_total', { lane: 'async', outcome: 'memory' }), 1)
  t.equal(value('surrogate_formula_processes_ended_total', { reason: 'memory' }), 1)
  t.equal(value('surrogate_webhooks_given_up_total'), 1)
  t.equal(value('surrogate_webhooks_delivered_total'), 0)
})

t.test('labels have values of fixed sets only, whatever callers send', async t => {
  const { vault, tenant } = await open(t)
  const canary = 'canary-4242424242424242'
  const { json } = await tenant.send('POST', '/tokens', { type: 'token', data: canary, metadata: { canary } })
  for (const path of [`/tokens/${canary}`, `/${canary}`, `/tokens?${canary}=1`, `/tokens/${json.id}`]) {
    for (const method of ['GET', 'DELETE', 'PUT', 'PROPFIND'])
      await tenant.send(method, path, undefined, { 'SVC-TRACE-ID': canary, 'User-Agent': canary })
  }
  await tenant.as(canary)('GET', '/tokens')
  const { text, samples } = await scrape(vault)
  t.notMatch(text, canary)
  const { development } = await vault.ready()
  for (const secret of [json.id, tenant.tenantId, tenant.privateKey, development?.tenantId ?? 'none-there'])
    t.notMatch(text, secret)
  const ids = new Set(['none', ...readOperations().map(({ id }) => id)])
  const ofRequests = samples.filter(({ name }) => name.startsWith('surrogate_request'))
  t.ok(ofRequests.length > 20)
  for (const { name, labels } of ofRequests) {
    if (labels.operation !== undefined) t.ok(ids.has(labels.operation), `${name} ${labels.operation}`)
    if (labels.status !== undefined) t.match(labels.status, /^[2-5](\d\d|xx)$/)
  }
})

t.test('the process is measured, and the version is shown', async t => {
  const { value, text } = await scrape(openVault(t, { metrics: true }))
  for (const name of [
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_eventloop_utilization',
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'process_start_time_seconds',
  ]) {
    t.ok(Number(value(name)) >= 0, name)
    t.match(text, new RegExp(`^# TYPE ${name} (gauge|counter)$`, 'm'))
  }
  t.equal(value('surrogate_info'), 1)
})

t.test('metrics have a port of their own, without a key, and nothing else is on it', async t => {
  const { vault, tenant } = await open(t)
  const { url: own } = await vault.listenForMetrics()
  const { url } = await vault.listen()
  const ask = async (base: string, path: string, method = 'GET') => {
    const headers = { 'SVC-API-KEY': tenant.privateKey }
    const response = await fetch(`${base}${path}`, { method, headers })
    const { status } = response
    return { status, type: response.headers.get('content-type'), text: await response.text() }
  }
  t.equal((await ask(url, '/readyz')).status, 200)
  const shown = await ask(own, '/metrics')
  t.equal(shown.status, 200)
  t.match(shown.type, /^text\/plain; version=0\.0\.4/)
  t.match(shown.text, /^surrogate_connections 1$/m, 'not counting those of this port')
  t.equal((await ask(own, '/metrics', 'HEAD')).text, '')
  for (const path of ['/livez', '/readyz', '/healthz']) t.equal((await ask(own, path)).status, 200, path)
  for (const path of ['/tokens', '/docs', '/_dev/clock', '/metrics/x', '/'])
    t.equal((await ask(own, path)).status, 404, path)
  t.equal((await ask(own, '/metrics', 'POST')).status, 404)
  const elsewhere = await ask(url, '/metrics')
  t.equal(elsewhere.status, 404, 'not beside the operations')
  t.notMatch(elsewhere.text, /surrogate_/)
  const spoofed = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { 'X-Forwarded-For': '127.0.0.1', Host: 'localhost' }
    request(`${url}/metrics`, { headers }, response => resolve(response.resume().statusCode))
      .on('error', reject)
      .end()
  })
  t.equal(spoofed, 404)
  const refusal = { name: 'VaultOptionsError', message: /^metrics must be true/ }
  await t.rejects(openVault(t).listenForMetrics(), refusal, 'a vault without the option')
})

t.test('the disk is measured where the data is a folder', async t => {
  const folder = t.testdir({})
  const text = async (storage: string) => {
    const { url } = await openVault(t, { metrics: true, storage }).listenForMetrics()
    return (await fetch(`${url}/metrics`)).text()
  }
  const bytes = (shown: string, part: string) =>
    Number(new RegExp(`^surrogate_disk_${part}_bytes (\\S+)$`, 'm').exec(shown)?.[1])
  const shown = await text(`level:${folder}`)
  t.ok(bytes(shown, 'free') > 0 && bytes(shown, 'free') < bytes(shown, 'size'))
  t.notMatch(await text('memory:'), /^surrogate_disk_free_bytes /m)
})
