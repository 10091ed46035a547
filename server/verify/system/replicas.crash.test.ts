// Only in CI: it kills servers.
import { randomInt } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Content } from '../support/ledger.ts'
import { openSchema, withPostgres } from '../support/postgres.ts'
import { openReceiver } from '../support/receiver.ts'
import { makeReactorOver, type Replica, startReplicas } from '../support/started-replicas.ts'
import { openTcpProxy } from '../support/tcp-proxy.ts'
import { type Load, WritingClients } from '../support/writing-clients.ts'

/** One of two servers is killed, or stops, under load: the other one continues with the work of the first. */
const rounds = Number(process.env.SURROGATE_CRASH_ROUNDS ?? 1)

/** Then a new database is begun: each round reads all tokens of those before. */
const roundsOfDatabase = 10

/** Longer than every lease on a job: the time limit of the formula or the delivery, and half a minute. */
const longestLeaseMs = 46_000

const code = `module.exports = async ({ args }) => ({
  raw: { mark: args.mark },
  tokenize: { type: 'token', data: args.data, metadata: { mark: args.mark } },
})`

for (let done = 0; done < rounds; done += roundsOfDatabase) {
  const last = Math.min(rounds, done + roundsOfDatabase)
  const name = `kill -9 of one of two servers under load, rounds ${done + 1} to ${last}`
  t.test(name, withPostgres, t => killRounds(t, done + 1, last))
}

async function killRounds(t: Test, first: number, last: number): Promise<void> {
  const replicas = startReplicas(t, await openSchema(t))
  let [one, other] = await Promise.all([replicas.start(), replicas.start()])
  const { privateKey, managementKey } = replicas.tenant()
  const clients = new WritingClients(privateKey)
  const path = await makeReactorOver(one.url, managementKey, code)
  const receiver = await openReceiver(t)
  const callback_url = `${receiver.origin}/done`
  /** By mark: accepted jobs, and the token that each creates. */
  const accepted = new Map<string, Content>()

  const invoke = async (load: Load) => {
    while (!load.isOver()) {
      const { mark = '' } = clients.newContent().metadata as { mark?: string }
      const content: Content = { type: 'token', data: `job ${mark}`, metadata: { mark } }
      clients.ledger.sentUnnamed(content)
      const args = { mark, data: content.data }
      if (await clients.ask(load, 202, 'POST', path, { args, callback_url })) accepted.set(mark, content)
    }
  }

  /** Kills one at its n-th response. The clients continue until the other has sent as many. */
  const killOne = async (answers: number, faults: string[]) => {
    const killed = one
    let answered = 0
    let death: Promise<unknown> | undefined
    const load: Load = {
      urls: () => (death ? [other.url] : [one.url, other.url]),
      isOver: () => answered >= 2 * answers,
      isGone: url => death !== undefined && url === killed.url,
      onAnswer: () => {
        if (++answered >= answers) death ??= killed.process.end('SIGKILL')
      },
      faults,
    }
    await Promise.all([clients.write(load), invoke(load), invoke(load)])
    await death
  }

  for (let round = first; round <= last; round++) {
    await t.test(`round ${round}`, async t => {
      const faults: string[] = []
      const from = receiver.received.length
      await killOne(randomInt(100, 400), faults)
      t.same(faults, [], 'the other one is not affected')

      await other.advance(longestLeaseMs)
      const delivered = receiver.received.slice(from).map(({ headers, body }) => {
        const { raw, tokens } = JSON.parse(body.toString())
        return { id: headers['webhook-id'] ?? '', mark: String(raw.mark), token: String(tokens.id) }
      })
      const ids = new Map<string, Set<string>>()
      for (const { mark, id } of delivered) ids.set(mark, (ids.get(mark) ?? new Set()).add(id))
      t.same(
        [...accepted.keys()].filter(mark => !ids.has(mark)),
        [],
        'every job that was accepted is delivered',
      )
      t.same(
        [...ids].filter(([, one]) => one.size > 1),
        [],
        'twice only under the same id',
      )
      for (const { mark, token } of delivered) {
        const content = accepted.get(mark)
        if (content) clients.ledger.answeredUnnamed(token, content)
      }
      accepted.clear()

      const { ids: listed, total } = await clients.list(other.url)
      t.equal(new Set(listed).size, listed.length)
      t.equal(total, listed.length)
      const present = await clients.check(other.url, listed, faults)
      t.same(faults.slice(0, 5), [], 'every answered write is there, and no job made its token twice')
      t.same(present.sort(), listed.sort())
      const twice = delivered.length - new Set(delivered.map(({ id }) => id)).size
      t.comment(`${listed.length} tokens, ${ids.size} jobs, ${twice} delivered again`)
      if (round < last) [one, other] = [other, await replicas.start()]
    })
  }
}

t.test(
  'a server that stops in the middle of a commit holds up the others for a moment only',
  withPostgres,
  async t => {
    const database = `${await openSchema(t)}%20-c%20idle_in_transaction_session_timeout%3D1500`
    const proxy = await openTcpProxy(t, Number(new URL(database).port))
    const replicas = startReplicas(t, database)
    const stopping = await replicas.start({}, proxy.via(database))
    const other = await replicas.start()
    const clients = new WritingClients(replicas.tenant().privateKey)
    const create = ({ url }: Replica, id: string) =>
      clients.call(url, 'POST', '/tokens', { id, type: 'token', data: 'x' })

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
    t.same((await clients.list(other.url)).ids.sort(), ['meanwhile', 'stopped'])
  },
)
