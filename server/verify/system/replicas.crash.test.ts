// Only in CI: it kills servers.
import { randomInt } from 'node:crypto'
import t, { type Test } from 'tap'
import { openSchema, withPostgres } from '../support/postgres.ts'
import { openReceiver } from '../support/receiver.ts'
import {
  callOver,
  listOver,
  makeReactorOver,
  makeTenantOver,
  type Replica,
  startReplicas,
} from '../support/started-replicas.ts'
import { openTcpProxy } from '../support/tcp-proxy.ts'
import { checkHistory } from './history/check.ts'
import { HistoryClients } from './history/clients.ts'

/** One of two servers is killed, or stops, under load: the other one continues with the work of the first. */
const rounds = Number(process.env.SURROGATE_CRASH_ROUNDS ?? 1)

/** Longer than every lease on a job: the time limit of the formula or the delivery, and half a minute. */
const longestLeaseMs = 46_000

const code = `module.exports = async ({ args }) => ({
  raw: { mark: args.mark },
  tokenize: { type: 'token', data: args.mark },
})`

t.test('kill -9 of one of two servers under load', withPostgres, async t => {
  const replicas = startReplicas(t, await openSchema(t))
  let [one, other] = await Promise.all([replicas.start(), replicas.start()])
  const receiver = await openReceiver(t)
  for (let round = 1; round <= rounds; round++) {
    await t.test(`round ${round}`, t => killRound(t, one, other, receiver))
    if (round < rounds) [one, other] = [other, await replicas.start()]
  }
})

/** Kills a server at some response. Clients of one tenant change tokens, those of another invoke a reactor. */
async function killRound(
  t: Test,
  killed: Replica,
  other: Replica,
  receiver: Awaited<ReturnType<typeof openReceiver>>,
): Promise<void> {
  const [writing, invoking] = [await makeTenantOver(other.url), await makeTenantOver(other.url)]
  const path = await makeReactorOver(other.url, invoking.management_key, code)
  const callback_url = `${receiver.origin}/done`
  const from = receiver.received.length
  const accepted = new Set<string>()
  const faults: string[] = []
  let answersUntilDeath = randomInt(100, 400)
  let death: Promise<unknown> | undefined
  let isOver = false
  const servers = { urls: () => (death ? [other.url] : [killed.url, other.url]), up: async () => {} }
  const clients = new HistoryClients({
    seed: String(randomInt(1e9)),
    servers,
    key: writing.private_key,
    onAnswer: () => {
      if (--answersUntilDeath <= 0) death ??= killed.process.end('SIGKILL')
    },
  })

  const invoke = async (client: string) => {
    for (let n = 0; !isOver; n++) {
      const mark = `${client} ${n}`
      const urls = servers.urls()
      const url = urls[n % urls.length] ?? ''
      const reply = await callOver(url, invoking.private_key, 'POST', path, {
        args: { mark },
        callback_url,
      }).catch(error => {
        if (!death || url !== killed.url) throw error
      })
      if (reply?.status === 202) accepted.add(mark)
      else if (reply) faults.push(`${path} had status ${reply.status}`)
    }
  }
  const invocations = Promise.all([invoke('a'), invoke('b')])
  await clients.run(800)
  isOver = true
  await invocations
  await death
  await clients.readAll()
  t.same(faults.concat(clients.faults), [], 'the other one is not affected')
  t.same(checkHistory(clients.calls).slice(0, 5), [], 'every answered write is there')

  await other.advance(longestLeaseMs)
  const delivered = receiver.received.slice(from).map(({ headers, body }) => {
    const { raw, tokens } = JSON.parse(body.toString())
    return { id: headers['webhook-id'] ?? '', mark: String(raw.mark), token: String(tokens.id) }
  })
  const ids = new Map<string, Set<string>>()
  for (const { mark, id } of delivered) ids.set(mark, (ids.get(mark) ?? new Set()).add(id))
  const missing = [...accepted].filter(mark => !ids.has(mark))
  t.same(missing, [], 'every job that was accepted is delivered')
  const repeated = [...ids].filter(([, one]) => one.size > 1)
  t.same(repeated, [], 'twice only under the same id')
  const made = new Map((await listOver(other.url, invoking.private_key)).map(({ id, data }) => [id, data]))
  t.same([...made.values()].sort(), [...ids.keys()].sort(), 'no job made its token twice')
  for (const { mark, token } of delivered)
    t.equal(made.get(token), mark, `${token} is the one that ${mark} made`)
  t.comment(`${clients.calls.length} requests, ${ids.size} jobs, ${delivered.length} deliveries`)
}

t.test('a server that stops within a commit holds up others for a moment only', withPostgres, async t => {
  const database = `${await openSchema(t)}%20-c%20idle_in_transaction_session_timeout%3D1500`
  const proxy = await openTcpProxy(t, Number(new URL(database).port))
  const replicas = startReplicas(t, database)
  const stopping = await replicas.start({}, proxy.via(database))
  const other = await replicas.start()
  const privateKey = replicas.privateKey()
  const create = ({ url }: Replica, id: string) =>
    callOver(url, privateKey, 'POST', '/tokens', { id, type: 'token', data: 'x' })

  const held = proxy.strike('hold', { at: 'before sending', pattern: /COMMIT\0/ })
  const cutOff = create(stopping, 'stopped')
  await held
  stopping.process.signal('SIGSTOP')
  const meanwhile = await create(other, 'meanwhile')
  t.equal(meanwhile.status, 201, 'as soon as the database has ended the transaction of the other')
  stopping.process.signal('SIGCONT')
  const { status, headers } = await cutOff
  t.equal(status, 503)
  t.match(headers.get('retry-after'), /^\d+$/)
  t.equal((await create(stopping, 'stopped')).status, 201, 'nothing of it had happened')
  const listed = await listOver(other.url, privateKey)
  t.same(listed.map(({ id }) => id).sort(), ['meanwhile', 'stopped'])
})
