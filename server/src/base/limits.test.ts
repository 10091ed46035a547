import { readFile } from 'node:fs/promises'
import t from 'tap'
import type { Bounds } from './flow/admission.ts'
import { admissionBounds, connectionLimits } from './limits.ts'

const guide = await readFile(new URL('../../guide/limits.md', import.meta.url), 'utf8')
const columns = ['total', 'tenant', 'application', 'session', 'peer', 'host', 'hostOfTenant'] as const

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

t.test('the guide has the limits of connections', async t => {
  const seconds = (ms: number) => `${ms / 1000} s`
  const {
    headerBytes,
    headersTimeoutMs,
    requestTimeoutMs,
    bodyGraceMs,
    bodyBytesPerSecond,
    pieceBytes,
    answerTimeoutMs,
    wholeAnswerTimeoutMs,
    keepAliveTimeoutMs,
    lingerMs,
    pipelinedRequests,
    reserve,
    freeBodyBytes,
    freeResponseBytes,
  } = connectionLimits
  const sentences = [
    `${headerBytes / 1024} KB, within ${seconds(headersTimeoutMs)}; otherwise 431`,
    `| a whole request | within ${seconds(requestTimeoutMs)}`,
    `at least ${bodyBytesPerSecond / 1024} KB/s after its first ${seconds(bodyGraceMs)}`,
    `take each ${pieceBytes / 1024} KB of it within ${seconds(answerTimeoutMs)}`,
    `all of them within ${wholeAnswerTimeoutMs / 60_000} minutes`,
    `| an idle connection | closed after ${seconds(keepAliveTimeoutMs)}`,
    `last response | closed after ${seconds(lingerMs)}`,
    `without a response | ${pipelinedRequests}, served one by one`,
    `${reserve.toLocaleString('en-US')} connections beyond the total`,
    `the first ${freeBodyBytes / 1024} KB of each`,
    `the first ${freeResponseBytes / 1024} KB of each`,
  ]
  for (const sentence of sentences) t.ok(guide.includes(sentence), sentence)
})
