/**
 * `npm run bench -- peers`: processor time of a request beside the same work on SQLite, which does less for it, and
 * beside an echo; of our server with and without what an operator may switch on; and of commands on the data.
 *
 *     --tokens N       size of the data (100000)
 *     --rounds N       how often everything is measured, in turns (3)
 *     --seconds S      duration of each measurement (2)
 *     --only NAME,…    of commands, requests, variants, beside, postgres
 *
 * Figures can be compared within one run, not between runs. Without a compiler that can build SQLite for Node its
 * column is left out.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runJson, type Started, start, workFolder } from '../processes.ts'
import { startServer } from '../server-process.ts'
import { say } from '../table.ts'
import { measureBeside } from './beside.ts'
import { measureCommands } from './commands.ts'
import { measurePostgres } from './postgres.ts'
import { measureRequests } from './requests.ts'
import { measureVariants } from './variants.ts'

const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: 'commands,requests,variants,beside,postgres' },
  },
})
const count = Number(values.tokens)
const times = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
const only = values.only.split(',')
const folder = workFolder('peers')

function program(name: string, ...args: string[]): Promise<Started> {
  return start({ args: ['--import=tsx', fileURLToPath(new URL(name, import.meta.url)), ...args] })
}

/** Installs SQLite for Node beside this file, once. */
function hasSqlite(): boolean {
  const cwd = fileURLToPath(new URL('.', import.meta.url))
  if (existsSync(join(cwd, 'node_modules'))) return true
  try {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd, stdio: 'pipe' })
    return true
  } catch {
    say('without SQLite: better-sqlite3 could not be installed')
    return false
  }
}

async function startSqlite(startMs: number): Promise<Started | undefined> {
  if (!hasSqlite()) return undefined
  await mkdir(join(folder, 'sqlite'))
  return program('sqlite.ts', join(folder, 'sqlite'), String(count), String(startMs))
}

const ours = join(folder, 'ours')
const { startMs } = await runJson<{ readonly startMs: number }>(
  new URL('../search/build.ts', import.meta.url),
  ours,
  String(count),
)
const corpus = { count, startMs }
// First, as the others add tokens.
if (only.includes('commands')) await measureCommands(ours, corpus)
if (only.includes('requests')) {
  const server = await startServer(ours)
  const echo = await program('echo.ts')
  const sqlite = await startSqlite(startMs)
  await measureRequests({ surrogate: server, echo, ...(sqlite && { sqlite }) }, corpus, times)
  for (const one of [server, echo, sqlite]) await one?.end()
}
if (only.includes('variants')) await measureVariants(ours, corpus, times)
if (only.includes('beside')) {
  const [server, echo] = [await startServer(ours), await program('echo.ts')]
  await measureBeside(server, echo, times)
  for (const one of [server, echo]) await one.end()
}
if (only.includes('postgres')) await measurePostgres(folder, times)
