import t from 'tap'
import { database, withPostgres } from '../../../../verify/support/postgres.ts'
import { type Dialect, dialectOf } from './dialect.ts'

t.test('dialects are detected', withPostgres, async t => {
  t.same(await dialectOf(database() as never), { isDistributed: false, isCitus: false })
})

t.test("databases of PostgreSQL's family are detected by their version", async t => {
  const cases: [version: string, citus: boolean, dialect: Dialect][] = [
    ['PostgreSQL 17.10 on x86_64', false, { isDistributed: false, isCitus: false }],
    ['PostgreSQL 16.2 on x86_64', true, { isDistributed: true, isCitus: true }],
    ['PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64', false, { isDistributed: true, isCitus: false }],
    ['CockroachDB CCL v23.2.0 (x86_64)', false, { isDistributed: true, isCitus: false }],
  ]
  for (const [version, citus, dialect] of cases) {
    t.same(
      await dialectOf({ query: async () => ({ rows: [{ version, citus }] }) } as never),
      dialect,
      version,
    )
  }
})
