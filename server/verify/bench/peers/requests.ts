import { type Costs, costsOf } from '../load.ts'
import { type Operation, operations } from '../operations.ts'
import { type Started, writtenBytesOf } from '../processes.ts'
import type { Corpus } from '../search/shapes.ts'
import { maskingKey } from '../server-process.ts'
import { median, ms, printTable, say } from '../table.ts'
import { worksOn } from './works.ts'

export interface Times {
  readonly rounds: number
  readonly seconds: number
}

type Works = ReturnType<typeof worksOn>

/** Of our server and its peers, for each kind of request. They take turns, each with both processors to itself. */
export async function measureRequests(
  servers: Readonly<Record<string, Started>>,
  corpus: Corpus,
  { rounds, seconds }: Times,
): Promise<void> {
  const ids = Object.fromEntries(
    await Promise.all(
      Object.entries(servers).map(async ([name, server]) => [
        name,
        name === 'echo' ? [[]] : [await idsOf(server, corpus.count)],
      ]),
    ),
  )
  const worksOf: Record<string, Works> = {}
  for (const [name, server] of Object.entries(servers)) {
    const fromMs = Date.now()
    const { key, request } = operations.patch
    const job = {
      keys: [key],
      connections: 64,
      requests: Math.ceil(corpus.count / 10),
      request,
      ids: ids[name],
    }
    const { count: updates } = await costsOf(server, job)
    worksOf[name] = worksOn(corpus, { fromMs, toMs: Date.now(), updates })
  }
  const works = Object.keys(worksOf.surrogate ?? {})
  const samples = new Map<string, Costs[]>()
  const ask = (work: string, name: string, duration: number) => {
    const { key, request } = (worksOf[name] as Works)[work] as Operation
    return costsOf(servers[name] as Started, {
      ...{ keys: [key], connections: 64, seconds: duration, request, ids: ids[name] },
    })
  }
  for (let round = 0; round < rounds; round++) {
    for (const work of works) {
      for (const name of Object.keys(servers)) {
        // Warms up code, and what a first request of its kind reads.
        await ask(work, name, round === 0 ? 3 : 1)
        const row = `${work}\t${name}`
        samples.set(row, [...(samples.get(row) ?? []), await ask(work, name, seconds)])
      }
    }
  }
  const names = Object.keys(servers)
  const others = names.slice(1)
  const costs = (work: string, name: string) =>
    samples.get(`${work}\t${name}`)?.map(({ cpuUs }) => cpuUs) ?? []
  printTable([
    ['work', ...names.map(name => `${name} µs`), 'p50 ms', ...others.map(name => `× ${name}`)],
    ...works.map(work => [
      work,
      ...names.map(name => median(costs(work, name)).toFixed(0)),
      ms(median(samples.get(`${work}\tsurrogate`)?.map(({ p50 }) => p50) ?? [])),
      // Of each round: a slow phase of the machine affects all of them.
      ...others.map(name =>
        median(
          costs(work, 'surrogate').map((us, round) => us / (costs(work, name)[round] ?? Number.NaN)),
        ).toFixed(2),
      ),
    ]),
  ])
  await measureSearchWrites(
    servers.surrogate as Started,
    worksOf.surrogate?.['search: one rare term'] as Operation,
    seconds,
  )
}

/** LevelDB compacts a file that many reads had to look into. */
async function measureSearchWrites(
  server: Started,
  { key, request }: Operation,
  seconds: number,
): Promise<void> {
  const before = writtenBytesOf(server.pid)
  const { count } = await costsOf(server, { keys: [key], connections: 64, seconds: 5 * seconds, request })
  say(`a search wrote ${((writtenBytesOf(server.pid) - before) / count).toFixed(0)} bytes`)
}

/** Returns ids from all over the data. */
export async function idsOf({ url }: Started, count: number): Promise<string[]> {
  const ids: string[] = []
  const pages = Math.ceil(count / 100)
  for (let n = 0; n < Math.min(pages, 100); n++) {
    const page = 1 + Math.floor((n * pages) / 100)
    const response = await fetch(`${url}/tokens?size=100&page=${page}`, {
      headers: { 'SVC-API-KEY': maskingKey },
    })
    if (!response.ok) throw new Error(await response.text())
    const { data } = (await response.json()) as { readonly data: readonly { readonly id: string }[] }
    ids.push(...data.map(({ id }) => id))
  }
  return ids
}
