// Only in CI: it stops the database of servers.
import t from 'tap'
import { startPostgres, withOwnPostgres } from '../support/postgres.ts'
import { callOver, startReplicas } from '../support/started-replicas.ts'
import { InterruptedClients } from './history/interrupted.ts'

/** The number of responses that each stage of the test waits for. */
const some = 100

t.test('the database stops under load and is started again', withOwnPostgres, async t => {
  // A server of its own, with durable commits.
  const postgres = await startPostgres({ durable: true })
  t.teardown(() => postgres.close())
  const replicas = startReplicas(t, postgres.url)
  const both = await Promise.all([replicas.start(), replicas.start()])
  const urls = both.map(({ url }) => url)
  const key = replicas.privateKey()
  const clients = new InterruptedClients(urls, key)
  const healths = () => Promise.all(both.map(replica => replica.health()))
  t.same(await healths(), [200, 200])

  for (const end of [postgres.kill, postgres.stop]) {
    const refused = clients.refusals
    await clients.answered(some)
    t.equal(clients.refusals, refused, 'nothing is refused while the database is there')
    const interrupted = clients.interruption()
    await end()
    await interrupted
    for (const url of urls) {
      const { status, headers } = await callOver(url, key, 'GET', '/tokens')
      t.equal(status, 503)
      t.match(headers.get('retry-after'), /^\d+$/)
    }
    t.same(await healths(), [503, 503])
    await postgres.start()
    // Which each server checks twice a second.
    while ((await healths()).some(status => status !== 200));
    clients.goOn()
    await clients.answered(some)
  }
  const found = await clients.end()
  t.same(found, [], 'whatever was asked was answered as ever or by 503, and every answered write is there')
})
