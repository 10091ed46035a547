// Only in CI: it starts several servers.
import t from 'tap'
import { openSchema, withPostgres } from '../support/postgres.ts'
import { openReceiver } from '../support/receiver.ts'
import { callOver, makeReactorOver, type Replica, startReplicas } from '../support/started-replicas.ts'

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
  const { publicKey, privateKey, managementKey } = replicas.tenant()
  const call = ({ url }: Replica, key: string, method: string, path: string, body?: object) =>
    callOver(url, key, method, path, body)
  const create = (by: Replica, more: object = {}) =>
    call(by, privateKey, 'POST', '/tokens', { type: 'token', data: 'x', ...more })
  const advance = (ms: number) => Promise.all(both.map(replica => replica.advance(ms)))
  const errorOf = (toldMs: number) => Math.abs(toldMs - Date.now())

  await t.test('tokens created alternately by both have growing times', async t => {
    const stamps: string[] = []
    for (let turn = 0; turn < 10; turn++) {
      stamps.push((await create(turn % 2 === 0 ? ahead : behind)).json.created_at)
    }
    t.same(stamps, [...stamps].sort())
    t.equal(new Set(stamps).size, 10)
    t.ok(errorOf(Date.parse(stamps.at(-1) ?? '')) < minute, 'and at the right time')
  })

  await t.test(
    'a webhook is signed with the right time, and its lease is nobody else’s too soon',
    async t => {
      const code = 'module.exports = async () => ({ raw: 1 })'
      const path = await makeReactorOver(ahead.url, managementKey, code)
      for (const [by, other] of [
        [behind, ahead],
        [ahead, behind],
      ] as const) {
        let answer = () => {}
        const receiver = await openReceiver(t, (_request, response) => {
          answer = () => void response.writeHead(200).end()
          return undefined
        })
        const invoked = await call(by, privateKey, 'POST', path, { callback_url: `${receiver.origin}/done` })
        t.equal(invoked.status, 202)
        await receiver.arrived(1)
        const signedMs = Number(receiver.received[0]?.headers['webhook-timestamp']) * 1000
        t.ok(errorOf(signedMs) < minute, 'the signature has the right time')
        // Sweeps: for a server that used its own clock, the lease of the other might have ended.
        await other.advance(2000)
        t.equal(receiver.received.length, 1, 'who holds a job has it for as long as its lease says')
        answer()
      }
    },
  )

  await t.test('tokens expire on both at the same time', async t => {
    const { json: first } = await create(ahead)
    const endsMs = Date.parse(first.created_at) + 2 * wrongByMs
    const { status, json } = await create(behind, { expires_at: new Date(endsMs).toISOString() })
    t.equal(status, 201)
    const session = (await call(ahead, publicKey, 'POST', '/sessions')).json
    const grant = {
      nonce: session.nonce,
      permissions: ['token:create'],
      expires_at: new Date(endsMs).toISOString(),
    }
    t.equal((await call(behind, privateKey, 'POST', '/sessions/authorize', grant)).status, 200)
    const seen = () =>
      Promise.all(
        both.flatMap(by => [
          call(by, privateKey, 'GET', `/tokens/${json.id}`).then(({ status }) => status),
          call(by, session.session_key, 'POST', '/tokens', { type: 'token', data: 'y' }).then(
            ({ status }) => status,
          ),
        ]),
      )
    // By a clock that is ahead it would have expired, by one that is behind not for long.
    await advance(2 * wrongByMs - 2 * minute)
    t.same(await seen(), [200, 201, 200, 201])
    await advance(4 * minute)
    t.same(await seen(), [404, 401, 404, 401])
  })
})
