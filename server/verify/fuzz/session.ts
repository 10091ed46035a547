import { setTimeout as wait } from 'node:timers/promises'
import { keys } from './callers.ts'
import { encode, type FuzzCase, type FuzzRequest, request, type Values } from './case.ts'
import { FuzzConnection, NoResponse } from './connection.ts'
import { preparations } from './drafts.ts'
import { type Found, readJson } from './judge.ts'
import { type Performed, perform, type Surroundings } from './performer.ts'
import { startTarget, type Target, type TargetOptions } from './target.ts'
import type { SlowRead } from './watch.ts'
import { startWatcher, type Watcher } from './watcher.ts'

/** A case with its outcome. Times are epoch milliseconds. */
export interface Done {
  readonly one: FuzzCase
  readonly performed: Performed
  readonly startMs: number
  readonly endMs: number
}

const nowMs = () => performance.timeOrigin + performance.now()

/** A server under test, the connections to it, and the process that watches it. */
export class Session {
  readonly target: Target
  readonly watcher: Watcher
  readonly #around: Surroundings
  readonly #free: FuzzConnection[]
  #prepared: Values = new Map()
  #isStuck = false

  private constructor(around: Surroundings, lanes: number) {
    const { port, pid } = around.target
    this.target = around.target
    this.watcher = startWatcher({ port, pid })
    this.#around = around
    this.#free = Array.from({ length: lanes }, () => new FuzzConnection(port))
  }

  static async start(
    options: TargetOptions,
    around: Omit<Surroundings, 'target'>,
    lanes: number,
  ): Promise<Session> {
    const env = { ...around.peers.env, ...options.env }
    const session = new Session({ ...around, target: await startTarget({ ...options, env }) }, lanes)
    await session.#prepare()
    // Waits for the first read, since stalls before it would not be noticed.
    await session.watcher.summary()
    return session
  }

  /** True if the server has ended, or is busy for too long. */
  get isOver(): boolean {
    return this.#isStuck || this.target.hasEnded()
  }

  /**
   * Sends cases concurrently, one on each connection, but those with `alone` without any other. Returns the cases
   * that were sent: all, unless the server fails.
   */
  async run(cases: Iterable<FuzzCase>): Promise<Done[]> {
    const done: Done[] = []
    const inFlight = new Set<Promise<void>>()
    for (const one of cases) {
      if (one.alone) await Promise.all(inFlight)
      while (this.#free.length === 0) await Promise.race(inFlight)
      // An idle connection would be replaced by one that is refused otherwise.
      if (one.kind === 'unread') for (const connection of this.#free) connection.close()
      const connection = this.#free.pop() as FuzzConnection
      const startMs = nowMs()
      const work = perform(one, connection, this.#prepared, this.#around).then(performed => {
        done.push({ one, performed, startMs, endMs: nowMs() })
        this.#isStuck ||= performed.timedOut
        this.#free.push(connection)
        inFlight.delete(work)
      })
      inFlight.add(work)
      if (one.alone) await work
      if (this.isOver) break
    }
    await Promise.all(inFlight)
    const isMissing = ({ found }: Performed) => found.some(({ fault }) => fault === 'no response')
    if (!this.isOver && done.some(({ performed }) => isMissing(performed))) await this.#noticeEnd()
    return done
  }

  /** Connections break before the end of the process is known: waits for that if nobody responds any more. */
  async #noticeEnd(): Promise<void> {
    await this.#send({ method: 'GET', target: '/livez', headers: [] }).catch(error => {
      if (error instanceof NoResponse && !error.timedOut) return this.target.ended
      throw error
    })
  }

  /** Sends a case without concurrent ones. Returns the longest wait of a read, and the findings. */
  async runAlone(one: FuzzCase): Promise<{ readonly found: readonly Found[]; readonly stallMs: number }> {
    this.watcher.slowReads()
    const [done] = await this.run([one])
    const found = done?.performed.found ?? []
    if (this.isOver) return { found, stallMs: this.target.hasEnded() ? 0 : Number.POSITIVE_INFINITY }
    await this.watcher.summary()
    return { found, stallMs: Math.max(0, ...this.watcher.slowReads().map(({ netMs }) => netMs)) }
  }

  /** Empties the server and creates again what all cases need. */
  async reset(): Promise<void> {
    // The server waits for deliveries in progress.
    for (const peer of this.#around.peers.hostile) peer.drop()
    await this.#send({ method: 'POST', target: '/_dev/reset', headers: [] })
    await this.#prepare()
  }

  async end(): Promise<void> {
    await this.watcher.end()
    for (const connection of this.#free) connection.close()
    await this.target.end()
  }

  async #prepare(): Promise<void> {
    const values = new Map(this.#around.peers.values)
    this.#prepared = values
    for (const [name, request] of preparations) {
      const { id } = readJson(await this.#send(request)) ?? {}
      if (typeof id === 'string') values.set(name, id)
    }
    const watched = { id: 'fuzz-watched', type: 'card', data: { number: '4242424242424242' } }
    await this.#send(request('POST', '/tokens', keys.private, watched))
  }

  async #send(request: FuzzRequest, triesLeft = 10): Promise<string> {
    const connection = new FuzzConnection(this.target.port)
    try {
      const bytes = encode(request, this.#prepared, 'fuzz-set-up')
      const { status, body } = await connection.exchange(bytes, 30_000)
      if (status === 429 && triesLeft > 0) {
        // A busy server has not noticed yet that the connections of the cases are closed.
        await wait(1_000)
        return await this.#send(request, triesLeft - 1)
      }
      if (status >= 300)
        throw new Error(`the server could not be prepared: ${request.target}: status ${status}: ${body}`)
      return body
    } finally {
      connection.close()
    }
  }
}

/** Returns the cases that were running during a read and may have delayed it. */
export function suspectsOf(read: SlowRead, done: readonly Done[]): FuzzCase[] {
  return done
    .filter(({ startMs, endMs }) => startMs < read.endMs && endMs > read.startMs)
    .map(({ one }) => one)
}
