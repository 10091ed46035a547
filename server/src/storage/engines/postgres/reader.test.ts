import t from 'tap'
import { nextTurn } from '../../../base/flow/event-loop.ts'
import { createLog, silentLog } from '../../../base/log.ts'
import { digest, tenantA, tenantB } from '../../port/port.samples.ts'
import { StoreUnavailable, uuidOfDigest } from '../../port/port.ts'
import { DueReader, Reader } from './reader.ts'
import type { Row } from './rows.ts'
import type { Statement } from './sql.ts'

t.test('reads in many full batches all resolve, with one statement per batch', async t => {
  const asked: (() => void)[] = []
  const pool = {
    query: () => new Promise(resolve => asked.push(() => resolve({ rows: [] }))),
  }
  const dialect = { isDistributed: false, isCitus: false, isFrozen: false }
  const reader = new Reader(pool as never, dialect, { reads: 1, searches: 1 }, () => {}, silentLog)
  let answered = 0
  const read = () =>
    reader
      .get(
        'token',
        tenantA,
        Array.from({ length: 400 }, (_, id) => digest(`${answered} ${id} ${Math.random()}`)),
      )
      .then(() => answered++)
  const reads = [read(), read(), read()]
  await nextTurn()
  reads.push(read(), read())
  asked[0]?.()
  await nextTurn()
  reads.push(read())
  for (let at = 1; at < 6; at++) {
    await nextTurn()
    asked[at]?.()
  }
  await nextTurn()
  t.equal(answered, 6)
  t.equal(asked.length, 6)
  await Promise.all(reads)
})

t.test('where tables are distributed, the reads of a tenant share a statement that names it', async t => {
  const asked: { readonly name: string; readonly values: unknown[] }[] = []
  const pool = {
    query: async (statement: (typeof asked)[number]) => {
      asked.push(statement)
      return { rows: [] }
    },
  }
  const dialect = { isDistributed: true, isCitus: false, isFrozen: false }
  const reader = new Reader(pool as never, dialect, { reads: 2, searches: 1 }, () => {}, silentLog)
  await Promise.all([
    reader.get('key', tenantA, [digest('a')]),
    reader.get('token', tenantA, [digest('b')]),
    reader.get('token', tenantB, [digest('c')]),
  ])
  t.match(asked, [
    { name: 'getOfTenant', values: [tenantA, '{107,111}'] },
    { name: 'getOfTenant', values: [tenantB, '{111}'] },
  ])
  t.equal(asked.length, 2)
})

const documentOn = (tenant: string, id: string) => [
  tenant,
  uuidOfDigest(digest(id)),
  ...['0', '1', '10', null, '5', '\\\\x', '\\\\x', '\\\\x00'],
]

/** The statements are answered in turn; errors are thrown. */
function readerOf(isCitus: boolean, answers: readonly (Error | unknown[][])[]) {
  const asked: string[] = []
  const lines: string[] = []
  const ask = async ({ name }: Statement) => {
    const answer = answers[asked.push(name) - 1] ?? []
    if (answer instanceof Error) throw answer
    return answer as Row[]
  }
  const log = createLog(line => lines.push(line))
  return { reader: new DueReader(ask, isCitus, log), asked, lines }
}

const unreachable = (code: string) =>
  new StoreUnavailable('down', { cause: Object.assign(new Error(), { code }) })

t.test('what is due on other nodes of Citus is read while one does not answer', async t => {
  const partial = [
    ['1', '2', ...documentOn(tenantA, 'a')],
    ['1', '2', ...documentOn(tenantB, 'b')],
  ]
  const nothing = [['1', '2', ...documentOn(tenantA, 'a').map(() => null)]]
  const down = unreachable('08006')
  const { reader, asked, lines } = readerOf(true, [down, partial, down, nothing, [], down, nothing])
  const found = await reader.read('token', 5, 10)
  const seen = found.map(({ tenant, id }) => [tenant, id])
  t.same(seen, [
    [tenantA, digest('a')],
    [tenantB, digest('b')],
  ])
  t.same(await reader.read('token', 5, 10), [])
  t.equal(lines.length, 1, 'logged once')
  t.same(await reader.read('token', 5, 10), [])
  t.same(await reader.read('token', 5, 10), [])
  t.equal(lines.length, 2, 'and again if a node fails later')
  const [all, reachable] = ['due', 'dueOfReachable']
  t.same(asked, [all, reachable, all, reachable, all, all, reachable])
})

for (const [name, isCitus, answers] of [
  ['another database', false, [unreachable('08006')]],
  ['the node that was asked', true, [unreachable('57P03')]],
  ['the way to it', true, [unreachable('ECONNREFUSED')]],
  ['every node', true, [unreachable('08006'), [['2', '2', null]]]],
] as const) {
  t.test(`a failure of ${name} is that of the caller`, async t => {
    const { reader, asked, lines } = readerOf(isCitus, answers as never)
    await t.rejects(reader.read('token', 5, 10), { name: 'StoreUnavailable' })
    t.equal(asked.length, answers.length)
    t.equal(lines.length, 0)
  })
}
