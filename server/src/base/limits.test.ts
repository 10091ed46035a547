import { readFile } from 'node:fs/promises'
import t from 'tap'
import { mostOfTenant, mostStreams } from '../dev/events.ts'
import { egressLimits } from '../egress/formula-egress.ts'
import { proxyLimits } from '../proxy/proxy.ts'
import { defaultLimits } from '../sandbox/sandbox-limits.ts'
import type { Bounds } from './flow/admission.ts'
import { admissionBounds, connectionLimits, largeBody, largeRecordLimits, placeLimits } from './limits.ts'

const guide = await readFile(new URL('../../guide/limits.md', import.meta.url), 'utf8')
const columns = ['total', 'tenant', 'application', 'session', 'host', 'hostOfTenant'] as const

const shown = (kind: string, amount: number | undefined) => {
  if (amount === undefined) return ''
  return kind.endsWith('Bytes') ? `${amount / 2 ** 20} MB` : amount.toLocaleString('en-US')
}

t.test('the guide has the shares of each kind of work', async t => {
  const rows = [...guide.matchAll(/^\| `(\w+)` \|(.*)\|$/gm)].map(([, kind = '', cells = '']) => [
    kind,
    cells.split('|').map(cell => cell.trim()),
  ])
  const expected = Object.entries<Bounds>(admissionBounds).map(([kind, bounds]) => [
    kind,
    columns.map(column => shown(kind, bounds[column])),
  ])
  t.same(rows, expected)
})

const placesRow = (what: string, { running, waiting }: { running: number; waiting: number }) =>
  `| ${what} | ${running} | ${waiting.toLocaleString('en-US')} |`

t.test('the guide has the limits of connections', async t => {
  const seconds = (ms: number) => `${ms / 1000} s`
  const {
    headerBytes,
    headersTimeoutMs,
    requestTimeoutMs,
    keepAliveTimeoutMs,
    silenceTimeoutMs,
    pipelinedRequests,
    connections,
    bodiesBytes,
    smallResponseBytes,
  } = connectionLimits
  const sentences = [
    `${headerBytes / 1024} KB, within ${seconds(headersTimeoutMs)}; otherwise 431`,
    `| a whole request | within ${seconds(requestTimeoutMs)}`,
    `| an idle connection | closed after ${seconds(keepAliveTimeoutMs)}`,
    `within ${seconds(silenceTimeoutMs)} without a byte`,
    `| ${pipelinedRequests}; one more`,
    `| ${connections.toLocaleString('en-US')}; others`,
    `responses of more than ${smallResponseBytes / 1024} KB, in memory | ${bodiesBytes / 2 ** 20} MB of all callers`,
    placesRow('creates and updates of tokens, invocations, requests of `/proxy`', placeLimits.short),
    placesRow('lists, searches, `/tokenize`, `/detokenize`', placeLimits.long),
    placesRow(`any request with a body of more than ${largeBody / 1024} KB`, placeLimits.large),
    placesRow('a token of more than 64 KB by its id', largeRecordLimits),
  ]
  for (const sentence of sentences) t.ok(guide.includes(sentence), sentence)
})

t.test('the guide has the limits on waiting for others', async t => {
  const words: Readonly<Record<number, string>> = { 5: 'five' }
  const { host, hostOfTenant } = admissionBounds.deliveries
  const sentences = [
    `has sent its whole response; at most ${proxyLimits.timeoutMs / 1000} s`,
    `until the whole response is there; at most ${egressLimits.timeoutMs / 1000} s`,
    `takes ${words[hostOfTenant]} of the attempts of a tenant and ${host} of all`,
    `${mostOfTenant} streams of events of a tenant and ${mostStreams} of all`,
  ]
  for (const sentence of sentences) t.ok(guide.includes(sentence), sentence)
  const text = 'a tenant gets half, an application three eighths and a session one eighth'
  t.ok(guide.includes(text))
  t.same(defaultLimits(2).running, { total: 8, tenant: 4, application: 3, session: 1 })
})
