/**
 * `npm run bench:hostile`: creates whose mask is a template made to take time, ten a second, while others read.
 * Each must be refused; shows the slowest, and what the reads notice. Beside it the same data under a harmless
 * mask: data of a megabyte takes its time whatever its mask is. And then formulas of one tenant that loop and fill
 * memory, beside the reads and invocations of another.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { hostileCases } from '../expressions/hostile.cases.ts'
import { Connection } from './connection.ts'
import { startGenerator } from './generator.ts'
import { attackWithFormulas } from './hostile-formulas.ts'
import { say } from './measure.ts'
import { post } from './post.ts'
import { maskingKey, privateKey, startServer } from './server-process.ts'
import { quantileMs } from './table.ts'

const connections = 16
const seconds = 10
const pauseMs = 100
/** What a request may hold; larger data, and numbers that would come back altered, never reach a template. */
const mostBytes = 1_000_000

interface Create {
  readonly title: string
  readonly body: string
  readonly status: 201 | 400
}

const hostile = createsWith(template => template, 400)
const harmless = createsWith(() => 'x', 201)

function createsWith(mask: (template: string) => string, status: Create['status']): Create[] {
  return hostileCases
    .filter(({ data }) => typeof data !== 'number' || Number.isSafeInteger(data))
    .map(({ title, template, data = 1 }) => ({
      title,
      body: JSON.stringify({ type: 'token', data, mask: mask(template) }),
      status,
    }))
    .filter(({ body }) => Buffer.byteLength(body) < mostBytes)
}

/** Milliseconds until the answer. */
async function create(connection: Connection, { title, body, status: expected }: Create): Promise<number> {
  const sentMs = performance.now()
  const { status } = await post(connection, privateKey, '/tokens', body)
  if (status !== expected) throw new Error(`${title} answered ${status}`)
  return performance.now() - sentMs
}

const folder = await mkdtemp(join(tmpdir(), 'surrogate-hostile-'))
const generator = startGenerator()
try {
  const server = await startServer(folder)
  const job = { url: server.url, connections, cvc: false }
  await generator.run({ ...job, key: privateKey, operation: 'create', requests: 5000 })
  const read = () => generator.run({ ...job, key: maskingKey, operation: 'get masked', seconds })
  await read()
  const usual = await read()
  const connection = await Connection.open(Number(new URL(server.url).port))
  const beside = async (creates: readonly Create[]) => {
    const slowest = new Map<string, number>()
    const reading = read()
    let done = false
    const end = () => {
      done = true
    }
    reading.then(end, end)
    let sent = 0
    for (; !done; sent++) {
      const one = creates[sent % creates.length] as Create
      const tookMs = await create(connection, one)
      slowest.set(one.title, Math.max(tookMs, slowest.get(one.title) ?? 0))
      await wait(Math.max(0, pauseMs - tookMs))
    }
    return { reads: await reading, sent, slowest: [...slowest].sort((a, b) => b[1] - a[1]).slice(0, 3) }
  }
  const benign = await beside(harmless)
  const attacked = await beside(hostile)
  connection.close()
  for (const [name, { sent, slowest }] of Object.entries({ harmless: benign, hostile: attacked })) {
    say(`${sent} ${name} creates, the slowest:`)
    for (const [title, ms] of slowest) say(`${ms.toFixed(1).padStart(8)} ms  ${title}`)
  }
  const rows = { usual, 'beside harmless': benign.reads, 'beside hostile': attacked.reads }
  for (const [name, { latencies, seconds: took }] of Object.entries(rows)) {
    const [p50, p99] = [0.5, 0.99].map(part => quantileMs(latencies, part).toFixed(2))
    const rate = (latencies.length / took).toFixed(0)
    say(`${name.padEnd(16)}${rate.padStart(7)} gets/s  p50 ${p50} ms  p99 ${p99} ms`)
  }
  await server.end()
} finally {
  await generator.end()
  await rm(folder, { recursive: true, force: true })
}
await attackWithFormulas()
