// Only in CI: it starts several servers.
import t from 'tap'
import { openSchema, withPostgres } from '../support/postgres.ts'
import { callOver, type Replica, startReplicas } from '../support/started-replicas.ts'

/**
 * Two servers with wrong clocks, one ahead and one behind, by far more than a test takes on a slow machine. This has no
 * effect, because they use the database's time.
 */
const minute = 60_000
const wrongByMs = 5 * minute

/** Code that runs first in a process. */
const wrongClock = (ms: number) => `
const Right = Date
globalThis.Date = class extends Right {
  constructor(...given) { super(...(given.length === 0 ? [Right.now() + ${ms}] : given)) }
  static now() { return Right.now() + ${ms} }
}`

const wrong = (ms: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(wrongClock(ms))}`,
})

t.test('two servers with wrong clocks on one database', withPostgres, async t => {
  const replicas = startReplicas(t, await openSchema(t))
  const [ahead, behind] = await Promise.all([
    replicas.start(wrong(wrongByMs)),
    replicas.start(wrong(-wrongByMs)),
  ])
  const both = [ahead, behind]
  const privateKey = replicas.privateKey()
  const call = ({ url }: Replica, method: string, path: string, body?: object) =>
    callOver(url, privateKey, method, path, body)
  const create = (by: Replica, more: object = {}) =>
    call(by, 'POST', '/tokens', { type: 'token', data: 'x', ...more })
  const advance = (ms: number) => Promise.all(both.map(replica => replica.advance(ms)))
  const errorOf = (toldMs: number) => Math.abs(toldMs - Date.now())

  await t.test('tokens created alternately by both have growing times', async t => {
    const stamps: string[] = []
    for (let turn = 0; turn < 10; turn++)
      stamps.push((await create(turn % 2 === 0 ? ahead : behind)).json.created_at)
    t.same(stamps, [...stamps].sort())
    t.equal(new Set(stamps).size, 10)
    t.ok(errorOf(Date.parse(stamps.at(-1) ?? '')) < minute, 'and at the right time')
  })

  await t.test('tokens expire on both at the same time', async t => {
    const { json: first } = await create(ahead)
    const endsMs = Date.parse(first.created_at) + 2 * wrongByMs
    const { status, json } = await create(behind, { expires_at: new Date(endsMs).toISOString() })
    t.equal(status, 201)
    const seen = () => Promise.all(both.map(async by => (await call(by, 'GET', `/tokens/${json.id}`)).status))
    // By a clock that is ahead it would have expired, by one that is behind not for long.
    await advance(2 * wrongByMs - 2 * minute)
    t.same(await seen(), [200, 200])
    await advance(4 * minute)
    t.same(await seen(), [404, 404])
  })
})
