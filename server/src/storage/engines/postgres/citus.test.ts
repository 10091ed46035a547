import t from 'tap'
import { database, withPostgres } from '../../../../verify/support/postgres.ts'
import { type Placed, stepsFor } from './citus.ts'
import { dialectOf, type SqlDialect } from './connect.ts'
import { tables } from './sql.ts'

const plain = (name: string): Placed => ({ name, everywhere: false })
const placed = (name: string): Placed => ({ ...plain(name), column: 'tenant' })
const versions: Placed = { name: 'surrogate_schema', everywhere: true }
const wanted = [...tables.map(placed), versions]

const saysOf = (all: readonly Placed[]) => stepsFor(all).map(({ says }) => says)
/** The tables as wanted, except for one. */
const but = (name: string, change: Partial<Placed>) =>
  wanted.map(table => (table.name === name ? { ...table, ...change } : table))

t.test('all tables of a new schema are distributed by tenant, on the same nodes', async t => {
  const steps = stepsFor([...tables, 'surrogate_schema'].map(plain))
  t.same(
    steps.map(({ says }) => says),
    [...tables.map(name => `distribute ${name} by tenant`), 'copy surrogate_schema to every node'],
  )
  const [first, ...others] = steps.map(({ statements }) => statements.join('; '))
  t.match(first, /create_distributed_table\('documents', 'tenant', colocate_with => 'none'\)/)
  for (const statements of others.slice(0, -1)) t.match(statements, /colocate_with => 'documents'/)
  t.match(others.at(-1), /create_reference_table\('surrogate_schema'\)/)
  // What was distributed stays on the coordinator otherwise, where no statement would ever erase it.
  for (const statements of [first, ...others]) t.match(statements, /truncate_local_data_after_distributing/)
})

t.test('only what is missing is done', async t => {
  t.same(saysOf(wanted), [])
  for (const name of tables.slice(1))
    t.same(saysOf(but(name, { column: null })), [`distribute ${name} by tenant`])
  t.same(saysOf(but('surrogate_schema', { everywhere: false })), ['copy surrogate_schema to every node'])
})

t.test('tables that were distributed in another way are refused', async t => {
  const refused = (change: Partial<Placed>, says: RegExp) =>
    t.throws(() => stepsFor(but('uniques', change)), { name: 'DatabaseRefused', message: says })
  refused({ column: 'value' }, /uniques is distributed, but not by tenant: SELECT undistribute_table/)
  refused({ column: null, everywhere: true }, /uniques is distributed, but not by tenant/)
})

t.test('dialects are detected', withPostgres, async t => {
  t.same(await dialectOf(database() as never), { isDistributed: false, isCitus: false })
})

t.test("databases of PostgreSQL's family are detected by their version", async t => {
  const cases: [version: string, citus: boolean, dialect: SqlDialect][] = [
    ['PostgreSQL 17.10 on x86_64', false, { isDistributed: false, isCitus: false }],
    ['PostgreSQL 16.2 on x86_64', true, { isDistributed: true, isCitus: true }],
    ['PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64', false, { isDistributed: true, isCitus: false }],
    ['CockroachDB CCL v23.2.0 (x86_64)', false, { isDistributed: true, isCitus: false }],
  ]
  for (const [version, citus, dialect] of cases) {
    const found = await dialectOf({ query: async () => ({ rows: [{ version, citus }] }) } as never)
    t.same(found, dialect, version)
  }
})
