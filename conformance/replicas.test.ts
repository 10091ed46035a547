// Only in CI: all cases over HTTP take long.
import { join } from 'node:path'
import tap from 'tap'
import { otherEntry } from '../server/verify/support/postgres.ts'
import { startProcess } from '../server/verify/support/process.ts'
import { openRoundRobin } from '../server/verify/support/round-robin.ts'
import { onPostgresOnly, openTestDatabase } from '../server/verify/support/storage.ts'
import { newMasterKey } from '../server/verify/support/stores.ts'
import { conformsOverTheWire, targetOf } from './selftest/_over-the-wire.ts'

/** Several servers on one database behave like one: consecutive requests go to different servers. */
tap.test('two replicas conform over the wire behind a round-robin', onPostgresOnly, async t => {
  const masterKey = Buffer.from(newMasterKey()).toString('base64')
  const database = await openTestDatabase(t)
  const environment = (SURROGATE_STORAGE: string) => ({
    SURROGATE_STORAGE,
    SURROGATE_MASTER_KEY: masterKey,
  })
  const args = ['--dev', '--allow-private-callbacks', '--port', '0']
  const replicas = [database, otherEntry(database)].map(at => startProcess(t, args, environment(at)))
  const urls = (await Promise.all(replicas.map(replica => replica.ready()))).map(({ url }) => url)
  const { url, counts } = await openRoundRobin(t, urls)
  await conformsOverTheWire(t, await targetOf(url), join(t.testdir({}), 'report'))
  const [one = 0, other = 0] = counts
  t.ok(one > 500 && Math.abs(one - other) <= 1, `${one} requests to the first, ${other} to the second`)
  for (const replica of replicas) {
    const { code, stderr } = await replica.end()
    t.equal(code, 0)
    // Cases let deliveries fail until the server gives up, and send members that the contract lacks.
    const expected = /"event":"(webhook given up|unknown member ignored|members become tokens)"/
    const lines = stderr.split('\n').filter(line => !expected.test(line))
    t.notMatch(lines.join('\n'), /"level":"(warn|error)"/, 'no warnings or errors in the log')
  }
})
