// Only in CI: it kills servers.
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { runCommand } from '../../src/program/commands/table.ts'
import { openLevelDb } from '../../src/storage/engines/level/leveldb.ts'
import type { Started } from '../bench/processes.ts'
import { isBuilt, masterKey, privateKey, startServer } from '../bench/server-process.ts'
import { WritingClients } from '../support/writing-clients.ts'

/**
 * Kills the server while clients write, several times on the same data. After each restart exactly the acknowledged
 * changes must be present, and complete.
 */
const rounds = Number(process.env.SURROGATE_CRASH_ROUNDS ?? 2)
/** Then a new folder is begun: each round reads all tokens of those before. */
const roundsOfFolder = 10
t.comment(isBuilt ? 'testing the build' : 'testing the sources: there is no build')

interface Begun {
  readonly folder: string
  readonly clients: WritingClients
  readonly server: Started
}

async function begin(): Promise<Begun> {
  const folder = mkdtempSync(join(tmpdir(), 'surrogate-crash-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, clients: new WritingClients(privateKey), server: await startServer(folder) }
}

/** Kills the server while clients write, at its n-th response. */
async function crash({ server, clients }: Begun, answers: number, faults: string[]) {
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

/** All keys of the data folder but those of leases, with their values. */
async function entriesIn(folder: string): Promise<Map<string, string>> {
  const level = await openLevelDb(join(folder, 'data', 'store'))
  const entries = await level.iterator().all()
  await level.close()
  const kept = entries.filter(([key]) => !key.startsWith('!lease'))
  return new Map(kept.map(([key, value]) => [key, value.toString('base64')]))
}

const differing = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) =>
  [...new Set([...one.keys(), ...other.keys()])].filter(key => one.get(key) !== other.get(key))

let begun: Begun | undefined
t.teardown(() => begun?.server.end('SIGKILL'))

for (let round = 1; round <= rounds; round++) {
  t.test(`round ${round}: acknowledged changes survive a kill -9`, async t => {
    const faults: string[] = []
    begun ??= await begin()
    const { folder, clients } = begun
    const answered = await crash(begun, randomInt(1, 600), faults)
    t.same(faults, [], 'every request before the crash succeeds')
    const before = await entriesIn(folder)
    await runCommand('reindex', ['--storage', `level:${join(folder, 'data')}`], {
      SURROGATE_MASTER_KEY: masterKey,
    })
    const after = await entriesIn(folder)
    t.same(differing(before, after), [], 'the index is the one that is built from the records')
    const server = await startServer(folder)
    begun = { ...begun, server }
    const { ids, total } = await clients.list(server.url)
    t.equal(new Set(ids).size, ids.length, 'no token is listed twice')
    t.equal(total, ids.length, 'total_items is the number of listed tokens')
    const present = await clients.check(server.url, ids, faults)
    t.same(faults.slice(0, 5), [], 'every acknowledged token is complete, deleted ones stay deleted')
    t.same(present.sort(), ids.sort(), 'exactly the listed tokens can be read')
    t.comment(`killed after ${answered} answers; ${ids.length} tokens`)
    if (round % roundsOfFolder > 0) return
    await server.end('SIGKILL')
    begun = undefined
  })
}
