import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { load } from '../load.ts'
import { writtenBytesOf } from '../processes.ts'
import { tokenAt } from '../search/corpus.ts'
import type { Corpus } from '../search/shapes.ts'
import { masterKey, privateKey, serverProgram, startServer } from '../server-process.ts'
import { printTable, say } from '../table.ts'
import { measureFirstStart } from './variants.ts'

const bytesIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true }).reduce(
    (sum, entry) =>
      sum +
      (entry.isDirectory() ? bytesIn(join(folder, entry.name)) : statSync(join(folder, entry.name)).size),
    0,
  )

interface Ran {
  readonly seconds: number
  readonly writtenBytes: number
  /** The most memory that is not of files, seen ten times a second. */
  readonly anonymousBytes: number
}

async function run(args: readonly string[]): Promise<Ran> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, [...serverProgram(), ...args], {
    env: { PATH: process.env.PATH, SURROGATE_MASTER_KEY: masterKey },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', chunk => {
    errors = `${errors}${chunk}`.slice(-1000)
  })
  const exit = once(child, 'exit') as Promise<[number]>
  let [writtenBytes, anonymousBytes] = [0, 0]
  while (child.exitCode === null && child.pid !== undefined) {
    try {
      const [, kib = '0'] = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1')) ?? []
      anonymousBytes = Math.max(anonymousBytes, Number(kib) * 1024)
      writtenBytes = writtenBytesOf(child.pid)
    } catch {
      // It has just ended.
    }
    await Promise.race([wait(100), exit])
  }
  const [code] = await exit
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${errors}`)
  return { seconds: (performance.now() - startedMs) / 1000, writtenBytes, anonymousBytes }
}

/**
 * Creates a tenth more tokens, and returns the bytes that were written for each. Not while the folder is filled: there two
 * years pass in minutes, and every half hour of them the server compacts.
 */
async function writtenForEach(folder: string, { count }: Corpus): Promise<number> {
  const server = await startServer(folder)
  const before = writtenBytesOf(server.pid)
  const { count: created } = await load({
    urls: [server.url],
    keys: [privateKey],
    connections: 64,
    requests: Math.ceil(count / 10),
    request: n => ({ method: 'POST', path: '/tokens', body: JSON.stringify(tokenAt(count + n, count)) }),
  })
  const written = writtenBytesOf(server.pid) - before
  await server.end()
  return written / created
}

/** Measures what operators run on a folder, once, and what the folder and its writing cost. */
export async function measureCommands(folder: string, corpus: Corpus): Promise<void> {
  const data = join(folder, 'data')
  const kept = bytesIn(data)
  const backup = join(folder, 'backup')
  const rows: string[][] = [['command', 'seconds', 'written, × kept', 'anonymous MB']]
  const storage = `level:${data}`
  for (const args of [
    ['backup', '--storage', storage, '--to', backup],
    ['restore', '--to', `level:${join(folder, 'restored')}`, backup],
    ['reindex', '--storage', storage],
  ]) {
    const { seconds, writtenBytes, anonymousBytes } = await run(args)
    rows.push([
      args[0] ?? '',
      seconds.toFixed(1),
      (writtenBytes / kept).toFixed(2),
      (anonymousBytes / 2 ** 20).toFixed(0),
    ])
  }
  printTable(rows)
  const [written, keptForEach] = [await writtenForEach(folder, corpus), kept / corpus.count]
  say(
    `a token: ${written.toFixed(0)} bytes written, ${keptForEach.toFixed(0)} kept: ${(written / keptForEach).toFixed(1)} ×`,
  )
  const { few, many } = await measureFirstStart()
  say(`first start: ${few.toFixed(2)} s with 4 applications, ${many.toFixed(2)} s with 1,003`)
}
