// Only in CI: all cases over HTTP take long.
import tap from 'tap'
import { otherEntry } from '../server/verify/support/postgres.ts'
import { startProcess } from '../server/verify/support/process.ts'
import { onPostgresOnly, openTestDatabase } from '../server/verify/support/storage.ts'
import { newMasterKey } from '../server/verify/support/stores.ts'
import { targetOf } from './selftest/_over-the-wire.ts'
import { targetOf as read, readConfig } from './src/config.ts'
import type { Fetch } from './src/harness/transport.ts'
import { run } from './src/run.ts'
import { outcomeOf } from './src/verdict.ts'

/** Several servers on one database behave like one: consecutive requests go to different servers. */
tap.test('two replicas conform over the wire, asked in turn', onPostgresOnly, async t => {
  const masterKey = Buffer.from(newMasterKey()).toString('base64')
  const database = await openTestDatabase(t)
  const environment = (SURROGATE_STORAGE: string) => ({
    SURROGATE_STORAGE,
    SURROGATE_MASTER_KEY: masterKey,
  })
  const args = ['--dev', '--allow-private-callbacks', '--port', '0']
  const first = startProcess(t, args, environment(database))
  // A node of Citus can be entered when the coordinator has made the schema.
  const urls = [(await first.ready()).url]
  const second = startProcess(t, args, environment(otherEntry(database)))
  urls.push((await second.ready()).url)
  const replicas = [first, second]
  let sent = 0
  const inTurn: Fetch = async request => {
    const { pathname, search } = new URL(request.url)
    const to = (url: string) => fetch(new Request(url + pathname + search, request.clone()))
    // The clock is that of a process.
    const asked = pathname === '/_dev/clock' ? urls : [urls[sent++ % urls.length] ?? '']
    const [response] = await Promise.all(asked.map(to))
    return response as Response
  }
  const flags = Object.entries(await targetOf(urls[0] ?? '')).flatMap(([name, value]) => [`--${name}`, value])
  const config = readConfig(flags, {})
  const { concurrency } = config
  const made = await run({ ...read(config), fetch: inTurn }, { concurrency, profile: 'surrogate' })
  t.same(
    made.results
      .filter(one => outcomeOf(one, 'surrogate') !== 'pass')
      .map(one => `${one.case.id}: ${one.error ?? one.findings[0]?.message}`),
    [],
  )
  t.same(made.verdicts, { core: 'conformant', surrogate: 'conformant' })
  for (const replica of replicas) {
    const { code, stderr } = await replica.end()
    t.equal(code, 0)
    // Cases let deliveries fail until the server gives up, and send members and arguments that nobody declares.
    const expected =
      /"event":"(webhook given up|unknown member ignored|undeclared argument removed|members become tokens)"/
    const lines = stderr.split('\n').filter(line => !expected.test(line))
    t.notMatch(lines.join('\n'), /"level":"(warn|error)"/, 'no warnings or errors in the log')
  }
})
