import t from 'tap'
import { openTenant, openVault } from '../../verify/support/vault.ts'
import { createLog, type LogLevel, logs, silentLog } from '../base/log.ts'

/** A log whose lines are kept. */
function recordingLog(level?: LogLevel) {
  const lines: string[] = []
  const log = createLog(line => lines.push(line), level)
  return {
    log,
    lines,
    requests: () => lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'request'),
  }
}

t.test('a request has one line: what was asked for, by whom, how it went', async t => {
  const { log, lines, requests } = recordingLog('info')
  const vault = openVault(t, { log })
  const tenant = await openTenant(vault)
  const before = requests().length
  const { headers } = await tenant.send('POST', '/tokens', { type: 'token', data: 1 })
  await tenant.as('unknown')('GET', '/tokens')
  await tenant.send('GET', '/nowhere')
  const [created, refused, lost, ...others] = requests().slice(before)
  t.match(created, {
    ...{ level: 'info', event: 'request', operation: 'tokens.create', status: 201 },
    ...{ trace: headers.get('svc-trace-id'), tenant: tenant.tenantId, ms: Number },
    application: /^[0-9a-f-]{36}$/,
    ...{ method: 'POST', route: '/tokens' },
  })
  t.equal(created.error, undefined)
  t.equal(created.peer, undefined, 'without a socket')
  t.match(refused, { operation: 'tokens.list', route: '/tokens', status: 401, error: 'unauthenticated' })
  t.equal(refused.tenant, undefined)
  t.match(lost, { operation: undefined, route: undefined, method: 'GET', status: 404, error: 'not_found' })
  t.same(others, [])
  for (const line of lines)
    t.match(line, /^\{"time":"[^"]+","level":"[a-z]+","event":"[^"]+".*\}\n$/, 'one format')
})

t.test('a line has the address of the peer, and a route without what stands in the path', async t => {
  const { log, requests } = recordingLog('info')
  const vault = openVault(t, { log })
  const tenant = await openTenant(vault)
  const { url } = await vault.listen()
  await fetch(`${url}/tokens/an-id`, { method: 'DELETE', headers: { 'SVC-API-KEY': tenant.privateKey } })
  await tenant.send('canary' as 'GET', '/nowhere')
  const [deleted, other] = requests().slice(-2)
  t.match(deleted, { method: 'DELETE', route: '/tokens/{id}', peer: '127.0.0.1', error: 'not_found' })
  t.match(other, { method: 'other', status: 404 })
})

t.test('no line has a value, a key, or what a caller put into path, query or body', async t => {
  const { log, lines } = recordingLog('info')
  const tenant = await openTenant(openVault(t, { log }))
  const canary = 'canary-4242424242424242'
  const body = { id: canary, type: 'token', data: canary, metadata: { [canary]: canary } }
  await tenant.send('POST', '/tokens', body)
  await tenant.send('GET', `/tokens/${canary}`)
  await tenant.send('GET', `/tokens/${canary}?${canary}=${canary}`)
  await tenant.send('GET', `/${canary}/${canary}`, undefined, { 'User-Agent': canary, Referer: canary })
  await tenant.send('PATCH', '/tokens/none', { data: canary })
  await tenant.as(canary)('GET', `/tokens?metadata.${canary}=${canary}`)
  const all = lines.join('')
  t.ok(lines.length >= 5)
  t.notMatch(all, canary)
  t.notMatch(all, tenant.privateKey)
})

t.test('health checks and the documentation have no line', async t => {
  const { log, requests } = recordingLog()
  const tenant = await openTenant(openVault(t, { log }))
  const before = requests().length
  for (const path of ['/healthz', '/livez', '/readyz', '/docs']) await tenant.send('GET', path)
  t.equal(requests().length, before)
  await tenant.send('GET', '/tokens')
  t.equal(requests().length, before + 1, 'control')
})

t.test('a level drops what is less severe', async t => {
  for (const [level, kept] of [
    ['error', 'e'],
    ['warn', 'w,e'],
    ['info', 'i,w,e'],
  ] as const) {
    const { log, lines } = recordingLog(level)
    log.info('i')
    log.warn('w')
    log.error('e')
    t.equal(lines.map(line => JSON.parse(line).event).join(), kept)
    t.equal(logs(log, 'info'), level === 'info')
  }
  t.notOk(logs(silentLog, 'error'))
  t.ok(logs({ info() {}, warn() {}, error() {} }, 'info'), 'a log of the caller says what it drops')
  const { log, requests } = recordingLog('warn')
  await (await openTenant(openVault(t, { log }))).send('GET', '/tokens')
  t.same(requests(), [])
})
