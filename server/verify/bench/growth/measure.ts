import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { keys } from '../../support/callers.ts'
import { load, type Request } from '../load.ts'
import { cpuUsOf, ownBytes, residentBytes, runCommand, type Started, startServer } from '../servers.ts'
import { createAt, searchesIn, tokenizeAt } from './corpus.ts'
import type { Memory, Part, Progress, Row, Times } from './row.ts'
import type { Subject } from './subject.ts'

const clients = 64
/** Of them, as many as create many at once. */
const fillers = 16
/** As many as a fill may lose when it is interrupted. */
const chunk = 100_000
/** The last ones of a size, of which each is created by its own request. */
const createdOneByOne = 100_000
/** The others are created so many at once. */
const tokensOfBody = 100
const mostSampled = 2_000
const sweptTokens = 100_000
const metricsPort = 9463

interface Place {
  readonly subject: Subject
  readonly folder: string
}

const open = ({ subject, folder }: Place) =>
  startServer(folder, {
    storage: subject.storage,
    environment: { SURROGATE_METRICS_PORT: String(metricsPort) },
  })

const memory = (pid: number): Memory => ({
  residentMiB: Math.round(residentBytes(pid) / 2 ** 20),
  ownMiB: Math.round(ownBytes(pid) / 2 ** 20),
})

/** Creates all tokens but the last ones, many at once. Each chunk is noted, after which it can go on in another process. */
async function fill(place: Place, size: number, progress: Progress, note: () => void): Promise<Row['fill']> {
  const bodies = Math.floor((size - progress.count - createdOneByOne) / tokensOfBody)
  if (bodies <= 0) return undefined
  const server = await open(place)
  try {
    let [left, seconds] = [bodies, 0]
    for (; left > 0; left -= chunk / tokensOfBody) {
      const requests = Math.min(left, chunk / tokensOfBody)
      seconds += (await create(server, progress, requests, tokensOfBody)).seconds
      note()
    }
    return { tokensPerSecond: (bodies * tokensOfBody) / seconds, filled: memory(server.pid) }
  } finally {
    await server.end()
  }
}

/** Creates the last tokens until there are so many, each by its own request. */
async function createLast(place: Place, size: number, progress: Progress): Promise<Row['creates']> {
  const { subject } = place
  const server = await open(place)
  try {
    const before = subject.databaseUs()
    const { perSecond, p99, seconds } = await create(server, progress, size - progress.count, 1)
    const made = perSecond * seconds
    return {
      ...{ perSecond, p99 },
      serverUs: cpuUsOf(server.pid) / made,
      databaseUs: (subject.databaseUs() - before) / made,
      filled: memory(server.pid),
    }
  } finally {
    await server.end()
  }
}

async function create({ url }: Started, progress: Progress, requests: number, tokens: number) {
  const request = () => {
    const n = progress.next
    progress.next += tokens
    return tokens === 1 ? createAt(n) : tokenizeAt(n, tokens)
  }
  const connections = tokens === 1 ? clients : fillers
  const measured = await load({ urls: [url], keys: [keys.private], connections, requests, request })
  progress.count += requests * tokens
  return { ...measured, seconds: measured.count / measured.perSecond }
}

/** Measures a part at this size, after those before it. */
export async function measure(
  part: Part,
  place: Place,
  row: Row,
  progress: Progress,
  note: () => void,
): Promise<void> {
  const { size } = row
  const does = {
    fill: async () => ({ fill: await fill(place, size, progress, note) }),
    creates: async () => ({ creates: await createLast(place, size, progress) }),
    reads: async () => ({ reads: await read(place, size, progress) }),
    commands: async () => ({ commands: await command(place, row, note) }),
  }
  Object.assign(row, await does[part]())
}

/** Returns the ids of some tokens, each as likely as any other. */
async function sample(place: Place, count: number): Promise<string[]> {
  const server = await open(place)
  const size = Math.min(100, count)
  const ids: string[] = []
  try {
    while (ids.length < Math.min(mostSampled, count)) {
      const found = await page(server, 1 + Math.floor((Math.random() * count) / size), size)
      ids.push(...found.map(({ id }) => id))
    }
    return [...new Set(ids)]
  } finally {
    await server.end()
  }
}

async function page({ url }: Started, number: number, size: number) {
  const headers = { 'SVC-API-KEY': keys.masked }
  const response = await fetch(`${url}/tokens?size=${size}&page=${number}`, { headers })
  return ((await response.json()) as { data: { id: string; created_at: string }[] }).data
}

/** Starts the server on what is there, and measures what applications and time do with it. */
async function read(place: Place, size: number, progress: Progress): Promise<Row['reads']> {
  const ids = await sample(place, progress.count)
  const began = performance.now()
  const server = await open(place)
  const startMs = performance.now() - began
  const started = memory(server.pid)
  const each = (key: string, requests: number, request: (n: number) => Request): Promise<Times> => {
    let n = 0
    const job = { urls: [server.url], keys: [key], connections: 1, requests, request: () => request(n++) }
    return load(job).then(({ p50, p99 }) => ({ p50, p99 }))
  }
  const get = (n: number): Request => ({ method: 'GET', path: `/tokens/${ids[n % ids.length]}` })
  const readPage = (number: number) =>
    each(keys.masked, 100, () => ({ method: 'GET', path: `/tokens?size=20&page=${number}` }))
  try {
    await each(keys.masked, 1, get)
    const firstMs = performance.now() - began
    const last = Math.floor(progress.count / 20)
    const times: Record<string, Times> = {
      'get, first time': await each(keys.masked, Math.min(1_000, ids.length), n => get(n + 1)),
      'get again': await each(keys.masked, 2_000, get),
      'first page': await readPage(1),
      'middle page': await readPage(Math.ceil(last / 2)),
      'last page': await readPage(last),
    }
    const tokenAt = async (share: number) =>
      (await page(server, Math.ceil(progress.count * share), 1))[0]?.created_at ?? ''
    // A twentieth of all, the newest being first.
    const searches = searchesIn(size, await tokenAt(0.55), await tokenAt(0.5))
    for (const [name, query] of Object.entries(searches)) {
      const body = JSON.stringify({ query, size: 20 })
      const request: Request = { method: 'POST', path: '/tokens/search', body }
      await each(keys.masked, 10, () => request)
      times[name] = await each(keys.masked, 100, () => request)
    }
    times.update = await each(keys.private, 500, n => ({
      method: 'PATCH',
      path: get(n).path,
      body: JSON.stringify({ metadata: { half: `h${n % 2}` } }),
    }))
    const gone = ids.splice(0, Math.floor(ids.length / 10))
    progress.count -= gone.length
    times.delete = await each(keys.private, gone.length, n => ({
      method: 'DELETE',
      path: `/tokens/${gone[n]}`,
    }))
    const done = memory(server.pid)
    const sweepSeconds = await sweep(server, progress)
    await server.end()
    const diskBytes = await place.subject.diskBytes()
    return { startMs, firstMs, started, times, done, sweepSeconds, diskBytes }
  } finally {
    await server.end()
  }
}

/** Measures what operators do with it. Each result is noted. */
async function command({ subject, folder }: Place, row: Row, note: () => void): Promise<Row['commands']> {
  const done = row.commands ?? {}
  const took = (result: Row['commands']) => {
    row.commands = Object.assign(done, result)
    note()
  }
  const file = join(folder, `backup-${process.pid}`)
  const target = await subject.emptyStorage()
  try {
    took({ backupSeconds: await runCommand('backup', '--storage', subject.storage, '--to', file) })
    took({ restoreSeconds: await runCommand('restore', file, '--to', target) })
    rmSync(file)
    if (subject.storage.startsWith('level:'))
      took({ reindexSeconds: await runCommand('reindex', '--storage', target) })
    return done
  } finally {
    rmSync(file, { force: true })
    if (target.startsWith('level:')) rmSync(target.slice('level:'.length), { recursive: true, force: true })
  }
}

/** Creates tokens that expire together, and returns the seconds from the first commit of the sweep to its last. */
async function sweep({ url }: Started, progress: Progress): Promise<number> {
  const requests = Math.min(sweptTokens, Math.max(1_000, progress.count))
  const expiresMs = Date.now() + 10_000 + requests / 2
  const expiresAt = new Date(expiresMs).toISOString()
  const request = () => {
    const n = progress.next
    progress.next += tokensOfBody
    return tokenizeAt(n, tokensOfBody, expiresAt)
  }
  const bodies = Math.ceil(requests / tokensOfBody)
  await load({ urls: [url], keys: [keys.private], connections: 8, requests: bodies, request })
  await wait(Math.max(0, expiresMs - Date.now()))
  let [beganMs, lastMs, before] = [0, 0, await commits()]
  while (beganMs === 0 || Date.now() - lastMs < 5_000) {
    await wait(50)
    const now = await commits()
    // The time is kept each minute, too.
    if (beganMs === 0 && now > before + 1) beganMs = Date.now()
    if (beganMs > 0 && now > before) lastMs = Date.now()
    if (beganMs > 0) before = now
  }
  return (lastMs - beganMs) / 1000
}

async function commits(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const lines = text.matchAll(/^surrogate_store_operations_total\{[^}]*operation="commit"[^}]*\} (\d+)/gm)
  return [...lines].reduce((total, [, count]) => total + Number(count), 0)
}
