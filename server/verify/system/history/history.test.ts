// Only in CI: it kills servers. `npm run verify -- history` runs it for minutes.
// In a process of its own: it takes long.
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runCommand } from '../../../src/program/commands/table.ts'
import { openLevelDb } from '../../../src/storage/engines/level/leveldb.ts'
import { openSchema, withPostgres } from '../../support/postgres.ts'
import { newMasterKey } from '../../support/stores.ts'
import { runHistory } from './run.ts'

/**
 * Clients work while servers are killed, stopped and cut off. Whatever each of them saw must fit one order of all
 * requests. `npm run verify -- history` runs it for longer, and repeats a seed.
 */
const { SURROGATE_HISTORY_SECONDS: seconds = '0', SURROGATE_HISTORY_SEED: seed = String(randomInt(1e9)) } =
  process.env

const masterKey = newMasterKey()

t.test('what clients of one server on LevelDB see', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'surrogate-history-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const data = join(folder, 'data')
  await judge(t, `level:${data}`, 1)
  const before = await entriesIn(data)
  await runCommand('reindex', ['--storage', `level:${data}`], {
    SURROGATE_MASTER_KEY: Buffer.from(masterKey).toString('base64'),
  })
  t.same(await entriesIn(data), before, 'the index is the one that is built from the records')
})

t.test('what clients of two servers on PostgreSQL see', withPostgres, async t => {
  await judge(t, await openSchema(t), 2)
})

async function judge(t: Test, storage: string, servers: number): Promise<void> {
  t.comment(`seed ${seed}`)
  const say = (line: string) => t.comment(line)
  const requests = Number(seconds) > 0 ? 1500 : 500
  const faults = await runHistory(t, {
    seed,
    seconds: Number(seconds),
    requests,
    storage,
    masterKey,
    servers,
    say,
  })
  t.same(faults.slice(0, 5), [], `seed ${seed}`)
}

/** All keys of the data folder but those of leases, with their values. */
async function entriesIn(folder: string): Promise<[string, string][]> {
  const level = await openLevelDb(join(folder, 'store'))
  const entries = await level.iterator().all()
  await level.close()
  return entries.flatMap(([key, value]) =>
    key.startsWith('!lease') ? [] : [[key, value.toString('base64')] as [string, string]],
  )
}
