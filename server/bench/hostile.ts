/**
 * `npm run bench:hostile`: creates tokens whose mask is a hostile template, ten a second and then without a pause,
 * while other clients read. Each must be refused. Prints the slowest, and the effect on the reads, compared with the
 * same data under a harmless mask. The three take turns over several rounds, because the speed of the machine may
 * change. Then runs formulas of one tenant that loop and fill memory, during reads and invocations of another.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { hostileCases } from '../src/expressions/hostile.cases.ts'
import { Connection } from './connection.ts'
import { startGenerator } from './generator.ts'
import { attackWithFormulas } from './hostile-formulas.ts'
import type { Measured } from './load.ts'
import { say } from './measure.ts'
import { post } from './post.ts'
import { maskingKey, privateKey, startServer } from './server-process.ts'
import { median, quantileMs } from './table.ts'

const connections = 16
const rounds = 3
const seconds = 4
/** The limit of a request; larger data, and numbers that a double cannot represent, never reach a template. */
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

/** Returns the milliseconds until the response. */
async function create(connection: Connection, { title, body, status: expected }: Create): Promise<number> {
  const sentMs = performance.now()
  const { status } = await post(connection, privateKey, '/tokens', body)
  if (status !== expected) throw new Error(`${title}: status ${status}`)
  return performance.now() - sentMs
}

interface Round {
  readonly reads: Measured
  /** The durations of the creates, by title. */
  readonly tookMs: ReadonlyMap<string, readonly number[]>
}

interface Scene {
  readonly name: string
  readonly creates: readonly Create[]
  readonly pauseMs: number
  readonly rounds: Round[]
}

function print({ name, rounds }: Scene): void {
  const part = (share: number) =>
    median(rounds.map(({ reads }) => quantileMs(reads.latencies, share))).toFixed(2)
  const rate = median(rounds.map(({ reads }) => reads.answered / reads.seconds)).toFixed(0)
  say(`${name.padEnd(26)}${rate.padStart(7)} gets/s  p50 ${part(0.5)} ms  p99 ${part(0.99)} ms`)
  const took = rounds.flatMap(round => [...round.tookMs])
  const slowest = took.map(([title, ms]) => ({ title, ms: Math.max(...ms) })).sort((a, b) => b.ms - a.ms)[0]
  const count = took.reduce((sum, [, ms]) => sum + ms.length, 0)
  if (slowest) say(`  ${count} creates, the slowest ${slowest.ms.toFixed(1)} ms: ${slowest.title}`)
}

const folder = await mkdtemp(join(tmpdir(), 'surrogate-hostile-'))
const generator = startGenerator()
try {
  const server = await startServer(folder)
  const job = { url: server.url, connections, cvc: false }
  await generator.run({ ...job, key: privateKey, operation: 'create', requests: 5000 })
  const read = () => generator.run({ ...job, key: maskingKey, operation: 'get masked', seconds })
  await read()
  const connection = await Connection.open(Number(new URL(server.url).port))
  const beside = async (creates: readonly Create[], pauseMs: number): Promise<Round> => {
    const reading = read()
    let done = false
    const end = () => {
      done = true
    }
    reading.then(end, end)
    const tookMs = new Map<string, number[]>()
    for (let sent = 0; !done && creates.length > 0; sent++) {
      const one = creates[sent % creates.length] as Create
      const ms = await create(connection, one)
      tookMs.set(one.title, [...(tookMs.get(one.title) ?? []), ms])
      await wait(Math.max(0, pauseMs - ms))
    }
    return { reads: await reading, tookMs }
  }
  const scenes: readonly Scene[] = [
    { name: 'usual', creates: [], pauseMs: 0, rounds: [] },
    { name: 'harmless, ten a second', creates: harmless, pauseMs: 100, rounds: [] },
    { name: 'hostile, ten a second', creates: hostile, pauseMs: 100, rounds: [] },
    { name: 'harmless, without pause', creates: harmless, pauseMs: 0, rounds: [] },
    { name: 'hostile, without pause', creates: hostile, pauseMs: 0, rounds: [] },
  ]
  for (let round = 0; round < rounds; round++) {
    for (const scene of scenes) scene.rounds.push(await beside(scene.creates, scene.pauseMs))
  }
  connection.close()
  for (const scene of scenes) print(scene)
  await server.end()
} finally {
  await generator.end()
  await rm(folder, { recursive: true, force: true })
}
await attackWithFormulas()
