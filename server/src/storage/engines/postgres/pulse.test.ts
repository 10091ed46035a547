import pg from 'pg'
import t from 'tap'
import { openSchema, withPostgres } from '../../../../verify/support/postgres.ts'
import { Pulse } from './pulse.ts'
import { timeAndState } from './sql.ts'

t.test("the time is the database's, whatever this process takes it for", withPostgres, async t => {
  const pool = new pg.Pool({ connectionString: await openSchema(t) })
  t.teardown(() => pool.end())
  const asked = async () => Number((await pool.query({ text: timeAndState, rowMode: 'array' })).rows[0]?.[0])
  const real = Date.now
  t.teardown(() => {
    Date.now = real
  })
  for (const wrongMs of [0, 5_000, -5_000]) {
    Date.now = () => real() + wrongMs
    const pulse = new Pulse(pool)
    await pulse.start()
    const before = await asked()
    const now = pulse.nowMs()
    const after = await asked()
    pulse.stop()
    // Half of a question's way is all that a measurement can be wrong by.
    const slackMs = 1_000
    t.ok(now >= before - slackMs && now <= after + slackMs, `${now - before} ms after it was asked`)
  }
})
