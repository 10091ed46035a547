/**
 * `npm run bench:pages`: measures reads of a small token while five connections fetch pages of 100 large tokens
 * (65 MB a page), and the memory of the server.
 *
 *   npm run bench:pages -- [--storage memory:] [--slow]
 *
 * With `--slow` each of the five reads half a megabyte in 100 ms, as distant callers do.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Connection } from './connection.ts'
import { startGenerator } from './generator.ts'
import { say } from './measure.ts'
import { make } from './post.ts'
import { maskingKey, privateKey, startServer } from './server-process.ts'
import { quantileMs } from './table.ts'

const { values } = parseArgs({
  options: { storage: { type: 'string' }, slow: { type: 'boolean', default: false } },
})
const tokens = 100
const fetchers = 5
const seconds = 10

/** 650 kB of many small parts, which are the slowest to parse. */
const data = Array.from({ length: 17_500 }, (_, n) => ({ n, text: 'a few words here' }))

/** Returns the peak resident size of a process in megabytes. */
function peakMegabytes(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return Number(kilobytes) / 1024
}

/** Fetches pages until `signal` is aborted. Resolves with the number of bytes. */
async function fetchPages(port: number, signal: AbortSignal): Promise<number> {
  let bytes = 0
  while (!signal.aborted) {
    const socket = connect(port, '127.0.0.1')
    const end = () => socket.destroy()
    signal.addEventListener('abort', end)
    socket.write(
      `GET /tokens?size=100 HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nSVC-API-KEY: ${privateKey}\r\n\r\n`,
    )
    let window = 0
    try {
      for await (const chunk of socket) {
        bytes += chunk.length
        window += chunk.length
        if (!values.slow || window < 500_000) continue
        window = 0
        await wait(100)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
    signal.removeEventListener('abort', end)
  }
  return bytes
}

const folder = await mkdtemp(join(tmpdir(), 'surrogate-pages-'))
const generator = startGenerator()
try {
  const server = await startServer(folder, [], {}, values.storage)
  const port = Number(new URL(server.url).port)
  const connection = await Connection.open(port)
  const small = await make(connection, privateKey, '/tokens', { type: 'token', data: 1 })
  for (let made = 0; made < tokens; made++) {
    await make(connection, privateKey, '/tokens', { type: 'token', data })
  }
  connection.close()
  const read = () =>
    generator.run({
      ...{ url: server.url, key: maskingKey, operation: 'get masked', connections: 1 },
      ...{ cvc: false, ids: [small], seconds },
    })
  const measureReads = async (name: string) => {
    const { latencies, answered } = await read()
    const part = (share: number) => quantileMs(latencies, share).toFixed(1)
    const figures = `p50 ${part(0.5)} ms  p99 ${part(0.99)} ms  longest ${part(1)} ms`
    say(`${name.padEnd(20)}${String(answered).padStart(6)} gets  ${figures}`)
  }
  say(`${tokens} tokens of ${(Buffer.byteLength(JSON.stringify(data)) / 1000).toFixed(0)} kB`)
  await measureReads('usual')
  const before = peakMegabytes(server.pid)
  const aborting = new AbortController()
  const fetching = Array.from({ length: fetchers }, () => fetchPages(port, aborting.signal))
  await measureReads('beside large pages')
  aborting.abort()
  const bytes = (await Promise.all(fetching)).reduce((sum, one) => sum + one, 0)
  const peak = `${before.toFixed(0)} MB before, ${peakMegabytes(server.pid).toFixed(0)} MB after`
  say(`pages ${(bytes / 1e6 / seconds).toFixed(0)} MB/s; peak of the resident size ${peak}`)
  await server.end()
} finally {
  await generator.end()
  await rm(folder, { recursive: true, force: true })
}
