import t from 'tap'
import { createLog } from '../../../base/log.ts'
import { digest, tenantA, tenantB } from '../../port/port.samples.ts'
import { StoreUnavailable, uuidOfDigest } from '../../port/port.ts'
import { DueReader } from './due-reader.ts'
import type { Row } from './rows.ts'
import type { Statement } from './sql.ts'

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
  t.same(
    found.map(({ tenant, id }) => [tenant, id]),
    [
      [tenantA, digest('a')],
      [tenantB, digest('b')],
    ],
  )
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
    t.same([asked.length, lines.length], [answers.length, 0])
  })
}
