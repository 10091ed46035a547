// Only in CI: it stops the database of servers.
import t from 'tap'
import { startPostgres, withOwnPostgres } from '../support/postgres.ts'
import { type Replica, startReplicas } from '../support/started-replicas.ts'
import { type Load, WritingClients } from '../support/writing-clients.ts'

/** The number of responses, good or bad, that each stage of the test waits for. */
const some = 100

t.test('the database stops under load and is started again', withOwnPostgres, async t => {
  // A server of its own, with durable commits.
  const postgres = await startPostgres({ durable: true })
  t.teardown(() => postgres.close())
  const replicas = startReplicas(t, postgres.url)
  const both = await Promise.all([replicas.start(), replicas.start()])
  const urls = both.map(({ url }) => url)
  const clients = new WritingClients(replicas.tenant().privateKey)
  const healths = () => Promise.all(both.map(replica => replica.health()))
  t.same(await healths(), [200, 200])

  const faults: string[] = []
  let [answers, refusals, isOver] = [0, 0, false]
  let onChange = () => {}
  const load: Load = {
    urls: () => urls,
    isOver: () => isOver,
    isGone: () => false,
    onAnswer: () => {
      answers++
      onChange()
    },
    onRefusal: () => {
      refusals++
      onChange()
    },
    faults,
  }
  const reached = (met: () => boolean) =>
    new Promise<void>(resolve => {
      onChange = () => {
        if (met()) resolve()
      }
      onChange()
    })
  const writing = clients.write(load)

  for (const end of [postgres.kill, postgres.stop]) {
    const [answered, refused] = [answers, refusals]
    await reached(() => answers >= answered + some)
    t.equal(refusals, refused, 'nothing is refused while the database is there')
    await end()
    await reached(() => refusals >= refused + some)
    t.same(await healths(), [503, 503])
    await postgres.start()
    const before = answers
    await reached(() => answers >= before + some)
    await Promise.all(both.map(healthy))
    // Requests in progress during the restart may have failed; from here on none does.
  }
  isOver = true
  await writing
  t.same(faults, [], 'whatever was asked was answered as ever or by 503 and a time to come back')

  const [url = ''] = urls
  const { ids, total } = await clients.list(url)
  t.equal(new Set(ids).size, ids.length)
  t.equal(total, ids.length)
  t.same((await clients.check(url, ids, faults)).sort(), ids.sort())
  t.same(faults.slice(0, 5), [], 'every answered write is there')
  t.comment(`${ids.length} tokens, ${refusals} refusals`)
})

/** Resolves when a server is healthy again, which it checks twice a second. */
async function healthy(replica: Replica): Promise<void> {
  while ((await replica.health()) !== 200);
}
