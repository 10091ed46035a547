/**
 * Measures the effect on reads while 100,000 tokens that expired together are erased: the p99 of gets before, and
 * from the expiry until the sweep has finished.
 *
 *   npm run bench:retention -- [--tokens 100000]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Connection } from './connection.ts'
import { startGenerator } from './generator.ts'
import { privateKey, startServer } from './server-process.ts'
import { quantileMs } from './table.ts'

const { values } = parseArgs({ options: { tokens: { type: 'string', default: '100000' } } })
const tokens = Number(values.tokens)
const connections = 16

/** There is a sweep every minute; erasing takes additional time. */
const watchedSeconds = 100
const usualSeconds = 10

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Sends one request on one connection. Resolves with the body. */
function ask(connection: Connection, method: string, path: string, body = ''): Promise<string> {
  const head = `${method} ${path} HTTP/1.1\r\nHost: bench\r\nSVC-API-KEY: ${privateKey}\r\n`
  const length = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
  return new Promise((resolve, reject) => {
    connection.send(
      head + length + body,
      (status, answer) => (status < 300 ? resolve(answer.toString()) : reject(new Error(answer.toString()))),
      reject,
    )
  })
}

async function createExpiring(port: number, expires_at: string): Promise<void> {
  let left = tokens
  const open = await Promise.all(Array.from({ length: 64 }, () => Connection.open(port)))
  await Promise.all(
    open.map(async connection => {
      while (left-- > 0) {
        const body = JSON.stringify({
          type: 'token',
          data: `value ${left}`,
          metadata: { n: String(left) },
          expires_at,
        })
        await ask(connection, 'POST', '/tokens', body)
      }
      connection.close()
    }),
  )
}

async function stillCounted(port: number): Promise<number> {
  const connection = await Connection.open(port)
  const { pagination } = JSON.parse(await ask(connection, 'GET', '/tokens?size=1'))
  connection.close()
  return pagination.total_items
}

const folder = await mkdtemp(join(tmpdir(), 'surrogate-retention-'))
const generator = startGenerator()
try {
  const server = await startServer(folder)
  const port = Number(new URL(server.url).port)
  // Long enough to create them at 1,500 a second on a slow machine, and to measure the usual reads.
  const expiresMs = Date.now() + (tokens / 1500 + usualSeconds + 10) * 1000
  const startMs = performance.now()
  await createExpiring(port, new Date(expiresMs).toISOString())
  say(`${tokens} tokens made in ${((performance.now() - startMs) / 1000).toFixed(1)} s`)
  const job = { url: server.url, key: privateKey, connections, cvc: false }
  await generator.run({ ...job, operation: 'create', requests: 1000 })
  const usual = await generator.run({ ...job, operation: 'get masked', seconds: usualSeconds })
  await new Promise(resolve => setTimeout(resolve, Math.max(0, expiresMs - Date.now())))
  say(`listed when they expired: ${await stillCounted(port)}`)
  const during = await generator.run({ ...job, operation: 'get masked', seconds: watchedSeconds })
  for (const [name, { latencies, seconds }] of Object.entries({ usual, during })) {
    const [p50, p99] = [quantileMs(latencies, 0.5), quantileMs(latencies, 0.99)]
    say(
      `${name.padEnd(8)}${(latencies.length / seconds).toFixed(0).padStart(7)} gets/s  p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms`,
    )
  }
  const ratio = quantileMs(during.latencies, 0.99) / quantileMs(usual.latencies, 0.99)
  say(`p99 while they are erased: ${ratio.toFixed(2)} × its usual value`)
  await server.end()
} finally {
  await generator.end()
  await rm(folder, { recursive: true, force: true })
}
