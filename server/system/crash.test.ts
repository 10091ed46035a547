import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Started } from '../bench/processes.ts'
import { isBuilt, masterKey, privateKey, startServer } from '../bench/server-process.ts'
import { runCommand } from '../src/commands/table.ts'
import { WritingClients } from '../testing/writing-clients.ts'

/**
 * The server is killed while clients write, again and again on the same data: after each restart all that was
 * answered must be there, whole, and nothing that nobody sent.
 */
const rounds = Number(process.env.SURROGATE_CRASH_ROUNDS ?? 2)
const folder = mkdtempSync(join(tmpdir(), 'surrogate-crash-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
t.comment(isBuilt ? 'with the built server' : 'without a build: with the sources')

const clients = new WritingClients(privateKey)

/** Kills the server in the middle of writing, at the moment of its n-th answer. */
async function crash(server: Started, answers: number, faults: string[]) {
  let answered = 0
  let death: Promise<void> | undefined
  const isGone = () => death !== undefined
  await clients.write({
    urls: () => [server.url],
    isOver: isGone,
    isGone,
    onAnswer: () => {
      answered++
      if (answered >= answers) death ??= server.end('SIGKILL')
    },
    faults,
  })
  await death
  return answered
}

let server = await startServer(folder)
t.teardown(() => server.end('SIGKILL'))

for (let round = 1; round <= rounds; round++) {
  await t.test(`round ${round}: what was answered before a kill -9 is there after it`, async t => {
    const faults: string[] = []
    const answered = await crash(server, randomInt(1, 600), faults)
    t.same(faults, [], 'every request before the crash succeeds')
    const verdict = await runCommand('reindex', ['--storage', `level:${join(folder, 'data')}`], {
      SURROGATE_MASTER_KEY: masterKey,
    }).then(
      ({ output }) => output,
      error => error.message,
    )
    t.match(verdict, /checked and agree\n$/, 'every index entry agrees with the records')
    server = await startServer(folder)
    const { ids, total } = await clients.list(server.url)
    t.equal(new Set(ids).size, ids.length, 'no token is listed twice')
    t.equal(total, ids.length, 'as many are listed as total_items says')
    const present = await clients.check(server.url, ids, faults)
    t.same(faults.slice(0, 5), [], 'every answered token is whole, what was deleted stays away')
    t.same(present.sort(), ids.sort(), 'those that can be read are those that are listed')
    t.comment(`killed after ${answered} answers; ${ids.length} tokens`)
  })
}
