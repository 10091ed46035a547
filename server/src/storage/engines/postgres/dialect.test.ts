import t from 'tap'
import { database, withPostgres } from '../../../../verify/support/postgres.ts'
import { type Dialect, dialectOf } from './dialect.ts'

t.test('dialects are detected', withPostgres, async t => {
  t.same(await dialectOf(database() as never), {
    anyIndex: true,
    undivided: true,
    isCitus: false,
    countsBits: true,
  })
})

t.test("databases of PostgreSQL's family are detected by their version", async t => {
  const cases: [version: string, divided: boolean, dialect: Dialect][] = [
    [
      'PostgreSQL 17.10 on x86_64',
      false,
      { anyIndex: true, undivided: true, isCitus: false, countsBits: true },
    ],
    [
      'PostgreSQL 13.9 on x86_64',
      false,
      { anyIndex: true, undivided: true, isCitus: false, countsBits: false },
    ],
    [
      'PostgreSQL 16.2 on x86_64',
      true,
      { anyIndex: true, undivided: false, isCitus: true, countsBits: false },
    ],
    [
      'PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64',
      false,
      { anyIndex: false, undivided: false, isCitus: false, countsBits: false },
    ],
    [
      'CockroachDB CCL v23.2.0 (x86_64)',
      false,
      { anyIndex: true, undivided: false, isCitus: false, countsBits: false },
    ],
  ]
  for (const [version, divided, dialect] of cases) {
    t.same(
      await dialectOf({ query: async () => ({ rows: [{ version, divided }] }) } as never),
      dialect,
      version,
    )
  }
})
