import { readFileSync } from 'node:fs'
import { brokenQueries } from '../../src/search/refusals.cases.ts'
import { quantile } from '../measure.ts'
import type { Started } from '../processes.ts'
import { maskingKey, restrictedKey } from '../server-process.ts'
import { Client } from './client.ts'
import { type Corpus, farPage, type Shape, shapesFor } from './shapes.ts'
import type { PeerSearch } from './sqlite-server.ts'

/** Milliseconds; `cold` is the first response of a new server that has not read the terms yet. */
export interface Measurement {
  readonly total: number
  readonly p50: number
  readonly p99: number
  readonly cold: number
}

export interface Measured {
  readonly shapes: ReadonlyMap<string, Measurement>
  readonly memoryMb: number
}

export interface Plan {
  readonly seconds: number
  readonly rounds: number
  /** The minimum number of repetitions, before and during the measurement (20). */
  readonly least?: number
}

/** A server that can perform the search of a shape. */
interface Subject {
  open(url: string): Promise<Talk>
}

interface Talk {
  /** Warms up the code without reading a term of the shapes. */
  warmUp(): Promise<void>
  /** The prepared request of a shape, and its connection. */
  prepare(shape: Shape): Promise<{ readonly client: Client; readonly body: object }>
  readonly readTotal: (answer: string) => number
  close(): void
}

export const measureOurs = (start: () => Promise<Started>, corpus: Corpus, plan: Plan) =>
  measure(ours, start, corpus, plan)
export const measurePeer = (start: () => Promise<Started>, corpus: Corpus, plan: Plan) =>
  measure(peer(corpus), start, corpus, plan)

const lastPage = (total: number, size: number) => Math.max(1, Math.min(farPage, Math.floor(total / size)))

const ours: Subject = {
  async open(url) {
    const [all, restricted] = await Promise.all([
      Client.open(url, '/tokens/search', maskingKey),
      Client.open(url, '/tokens/search', restrictedKey),
    ])
    const readTotal = (answer: string) => JSON.parse(answer).pagination.total_items as number
    return {
      readTotal,
      async warmUp() {
        for (let n = 0; n < 150; n++) {
          for (const client of [all, restricted]) {
            await client.ask({ query: `(metadata.none:${n} OR type:bank) AND created_at:[* TO *]` })
          }
        }
      },
      async prepare({ query, size, page, restricted: isRestricted }) {
        const client = isRestricted ? restricted : all
        if (page === 'first') return { client, body: { query, size } }
        const far = lastPage(readTotal((await client.ask({ query, size: 1 })).text), size)
        if (page === 'far') return { client, body: { query, size, page: far } }
        const before = await client.ask({ query, size, page: Math.max(1, far - 1) })
        return { client, body: { query, size, start: JSON.parse(before.text).pagination.next } }
      },
      close() {
        all.close()
        restricted.close()
      },
    }
  },
}

const peer = ({ count }: Corpus): Subject => ({
  async open(url) {
    const client = await Client.open(url, '/search')
    const ask = (search: PeerSearch) => client.ask(search)
    return {
      readTotal: answer => Number(/"total":(\d+)/.exec(answer)?.[1]),
      async warmUp() {
        for (let n = 0; n < 300; n++) {
          const sql = { text: 'SELECT ord FROM postings WHERE term = ?', terms: [`metadata.none:${n}`] }
          await ask({ sql, size: 20, offset: 0 })
        }
      },
      async prepare({ sql, size, page }) {
        const offset = (lastPage(count, size) - 1) * size
        if (page === 'first') return { client, body: { sql, size, offset: 0 } }
        if (page === 'far') return { client, body: { sql, size, offset } }
        return { client, body: { sql, size, offset: 0, before: count - offset } }
      },
      close: () => client.close(),
    }
  },
})

async function measure(
  subject: Subject,
  start: () => Promise<Started>,
  corpus: Corpus,
  { seconds, rounds, least = 20 }: Plan,
): Promise<Measured> {
  const cold = new Map<string, number[]>()
  for (let round = 0; round < rounds; round++) {
    // Requests that are needed to prepare a search go to another server.
    const bodies = await withTalk(subject, start, async talk => {
      const prepared: { readonly shape: Shape; readonly body: object }[] = []
      for (const shape of shapesFor(corpus, round)) {
        prepared.push({ shape, body: (await talk.prepare(shape)).body })
      }
      return prepared
    })
    await withTalk(subject, start, async talk => {
      await talk.warmUp()
      // Shapes share terms, so each is the first in one round.
      const turn = Math.floor((round * bodies.length) / rounds)
      for (const { shape, body } of [...bodies.slice(turn), ...bodies.slice(0, turn)]) {
        const { client } = await talk.prepare({ ...shape, page: 'first' })
        const { ms } = await client.ask(body)
        cold.set(shape.name, [...(cold.get(shape.name) ?? []), ms])
      }
    })
  }
  const shapes = new Map<string, Measurement>()
  let memoryMb = 0
  await withTalk(subject, start, async (talk, { pid }) => {
    await talk.warmUp()
    for (const shape of shapesFor(corpus)) {
      const { client, body } = await talk.prepare(shape)
      for (let n = 0; n < least; n++) await client.ask(body)
      const times: number[] = []
      let text = ''
      const endMs = performance.now() + seconds * 1000
      while (performance.now() < endMs || times.length < least) {
        const answer = await client.ask(body)
        if (answer.status !== 200) throw new Error(`${shape.name}: status ${answer.status}: ${answer.text}`)
        times.push(answer.ms)
        text = answer.text
      }
      shapes.set(shape.name, {
        total: talk.readTotal(text),
        p50: quantile(times, 0.5),
        p99: quantile(times, 0.99),
        cold: quantile(cold.get(shape.name) ?? [], 0.5),
      })
    }
    memoryMb = residentMb(pid)
  })
  return { shapes, memoryMb }
}

async function withTalk<Result>(
  subject: Subject,
  start: () => Promise<Started>,
  work: (talk: Talk, server: Started) => Promise<Result>,
): Promise<Result> {
  const server = await start()
  try {
    const talk = await subject.open(server.url)
    try {
      return await work(talk, server)
    } finally {
      talk.close()
    }
  } finally {
    await server.end()
  }
}

/** Returns the peak resident memory of a process, on Linux only. */
function residentMb(pid: number): number {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

export interface BrokenAnswers {
  readonly count: number
  readonly slowestMs: number
  readonly costliestMs: number
}

/** Measures all kinds of invalid queries, and the most expensive valid queries that we know. */
export async function measureBroken(start: () => Promise<Started>): Promise<BrokenAnswers> {
  const costly = [
    Array.from({ length: 105 }, (_, n) => `-metadata.k:${n}`)
      .join(' OR ')
      .slice(0, 1995),
    `${'!('.repeat(100)}${Array.from({ length: 80 }, (_, n) => `-metadata.lang:l${n % 10}`)
      .join(' OR ')
      .slice(0, 1500)}`,
  ].map(close)
  return withTalk(ours, start, async (talk, { url }) => {
    await talk.warmUp()
    const client = await Client.open(url, '/tokens/search', maskingKey)
    const times: number[] = []
    for (const [query] of brokenQueries) {
      const { status, ms, text } = await client.ask({ query })
      if (status !== 400) throw new Error(`an invalid query: status ${status}: ${text}`)
      times.push(ms)
    }
    const costs: number[] = []
    for (const query of costly) {
      // The first one reads the terms into memory.
      await client.ask({ query })
      const { status, ms, text } = await client.ask({ query })
      if (status !== 200) throw new Error(`an expensive query: status ${status}: ${text}`)
      costs.push(ms)
    }
    client.close()
    return { count: times.length, slowestMs: Math.max(...times), costliestMs: Math.max(...costs) }
  })
}

/** Returns a truncated query, ended after its last whole term, with its parentheses closed. */
function close(query: string): string {
  const whole = query.slice(0, query.lastIndexOf(' OR '))
  return whole + ')'.repeat(whole.split('(').length - whole.split(')').length)
}
