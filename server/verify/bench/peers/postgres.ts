import { execFileSync } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load } from '../load.ts'
import { operations } from '../operations.ts'
import { type Started, start } from '../processes.ts'
import { type Database, startDatabase } from '../scale/database.ts'
import { usedBy } from '../scale/processors.ts'
import { masterKey, serverProgram, startServer } from '../server-process.ts'
import { median, ms, printTable, say, sum } from '../table.ts'
import type { Times } from './requests.ts'

/** Creates over HTTP on PostgreSQL: on a plain server, and on one and two of ours. */
export async function measurePostgres(folder: string, times: Times): Promise<void> {
  let database: Database
  try {
    // As root, the database runs under another account, which needs access.
    await chmod(folder, 0o711)
    database = await startDatabase(join(folder, 'postgres'))
  } catch (error) {
    say(`without PostgreSQL: ${(error as Error).message}`)
    return
  }
  try {
    await measureOn(database, folder, times)
  } finally {
    await database.close()
  }
}

async function measureOn(database: Database, folder: string, { rounds, seconds }: Times): Promise<void> {
  const storage = database.url
  execFileSync(process.execPath, [...serverProgram(), 'migrate', '--storage', storage], {
    env: { PATH: process.env.PATH, SURROGATE_MASTER_KEY: masterKey },
    stdio: 'pipe',
  })
  const program = fileURLToPath(new URL('plain-postgres.ts', import.meta.url))
  const plain = await start({ args: ['--import=tsx', program, storage] })
  const first = await startServer(folder, { storage })
  const second = await startServer(folder, { storage })
  const subjects: Readonly<Record<string, readonly Started[]>> = {
    plain: [plain],
    'one server': [first],
    'two servers': [first, second],
  }
  const samples = new Map<string, Sample[]>()
  for (let round = 0; round < rounds; round++) {
    for (const [name, servers] of Object.entries(subjects)) {
      await creates(servers, database.pid, round === 0 ? 3 : 1)
      samples.set(name, [...(samples.get(name) ?? []), await creates(servers, database.pid, seconds)])
    }
  }
  for (const server of [plain, first, second]) await server.end()
  const of = (name: string, figure: keyof Sample) => samples.get(name)?.map(one => one[figure]) ?? []
  printTable([
    ['creates on PostgreSQL', 'a second', 'p50 ms', 'servers µs', 'database µs', '× plain'],
    ...Object.keys(subjects).map(name => {
      const ratios = of(name, 'both').map((us, round) => us / (of('plain', 'both')[round] ?? Number.NaN))
      return [
        name,
        median(of(name, 'perSecond')).toFixed(0),
        ms(median(of(name, 'p50'))),
        median(of(name, 'serversUs')).toFixed(0),
        median(of(name, 'databaseUs')).toFixed(0),
        median(ratios).toFixed(2),
      ]
    }),
  ])
}

/** Processor time for each create in microseconds, of the servers, of the database, and of both. */
interface Sample {
  readonly perSecond: number
  readonly p50: number
  readonly serversUs: number
  readonly databaseUs: number
  readonly both: number
}

async function creates(servers: readonly Started[], database: number, seconds: number): Promise<Sample> {
  const { key, request } = operations.create
  const pids = servers.map(({ pid }) => pid)
  const before = usedBy(pids, [database])
  const measured = await load({
    ...{ urls: servers.map(({ url }) => url), keys: [key], connections: 64, seconds, request },
  })
  const after = usedBy(pids, [database])
  const each = (now: readonly number[], then: readonly number[]) => (sum(now) - sum(then)) / measured.count
  const serversUs = each(after.servers, before.servers)
  const databaseUs = each(after.nodes, before.nodes)
  const { perSecond, p50 } = measured
  return { perSecond, p50, serversUs, databaseUs, both: serversUs + databaseUs }
}
