import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { keys } from '../../support/callers.ts'
import { load, type Request } from '../load.ts'
import { cpuUsOf, residentBytes, runCommand, type Started, startServer } from '../servers.ts'
import { createAt, searchesIn } from './corpus.ts'
import type { Progress, Row, Times } from './row.ts'
import type { Subject } from './subject.ts'

const clients = 64
/** As many as a fill may lose when it is interrupted. */
const chunk = 100_000
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

const mebibytes = (pid: number) => Math.round(residentBytes(pid) / 2 ** 20)

/**
 * Creates tokens until there are so many, at full speed over HTTP.
 * @param note is told of each chunk, after which the fill can go on in another process
 */
export async function fill(place: Place, size: number, progress: Progress, note: () => void) {
  const server = await open(place)
  const { subject } = place
  const startedMiB = mebibytes(server.pid)
  const before = { cpu: cpuUsOf(server.pid), database: subject.databaseUs() }
  let [made, seconds, p99] = [0, 0, 0]
  try {
    progress.fromMs ??= Date.now()
    while (progress.count < size) {
      const ids: string[][] = []
      const requests = Math.min(chunk, size - progress.count)
      const request = () => createAt(progress.next++)
      const job = { urls: [server.url], keys: [keys.private], connections: clients, requests, request, ids }
      const measured = await load(job)
      made += requests
      seconds += requests / measured.perSecond
      p99 = Math.max(p99, measured.p99)
      sample(progress, ids.flat(), requests)
      progress.count += requests
      progress.toMs = Date.now()
      note()
    }
    return {
      createsPerSecond: made / seconds,
      createP99: p99,
      serverUs: (cpuUsOf(server.pid) - before.cpu) / made,
      databaseUs: (subject.databaseUs() - before.database) / made,
      startedMiB,
      filledMiB: mebibytes(server.pid),
    }
  } finally {
    await server.end()
  }
}

/** Keeps some ids of all tokens alike. */
function sample(progress: Progress, ids: readonly string[], made: number): void {
  const share = made / (progress.count + made)
  const pick = (from: readonly string[], count: number) =>
    [...from].sort(() => Math.random() - 0.5).slice(0, Math.ceil(count))
  progress.ids = [...pick(progress.ids, mostSampled * (1 - share)), ...pick(ids, mostSampled * share)]
}

/** Starts the server on what is there, and measures what applications, operators and time do with it. */
export async function measure(place: Place, size: number, progress: Progress): Promise<Omit<Row, 'fill'>> {
  const { subject, folder } = place
  const began = performance.now()
  const server = await open(place)
  const startMs = performance.now() - began
  const { ids } = progress
  const each = (key: string, requests: number, request: (n: number) => Request): Promise<Times> => {
    let n = 0
    const job = { urls: [server.url], keys: [key], connections: 1, requests, request: () => request(n++) }
    return load(job).then(({ p50, p99 }) => ({ p50, p99 }))
  }
  const get = (n: number): Request => ({ method: 'GET', path: `/tokens/${ids[n % ids.length]}` })
  const page = (number: number) =>
    each(keys.masked, 100, () => ({ method: 'GET', path: `/tokens?size=20&page=${number}` }))
  try {
    await each(keys.masked, 1, get)
    const firstMs = performance.now() - began
    const last = Math.floor(progress.count / 20)
    const times: Record<string, Times> = {
      'get, first time': await each(keys.masked, Math.min(1_000, ids.length), n => get(n + 1)),
      'get again': await each(keys.masked, 2_000, get),
      'first page': await page(1),
      'middle page': await page(Math.ceil(last / 2)),
      'last page': await page(last),
    }
    const { fromMs = 0, toMs = 0 } = progress
    const middleMs = (fromMs + toMs) / 2
    const range = searchesIn(size, middleMs, middleMs + (toMs - fromMs) / 20)
    for (const [name, query] of Object.entries(range)) {
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
    const readMiB = mebibytes(server.pid)
    const sweepSeconds = await sweep(server, progress)
    await server.end()
    return {
      ...{ size, startMs, firstMs, times, readMiB, sweepSeconds },
      diskBytes: await subject.diskBytes(),
      ...(await commands(place)),
    }
  } finally {
    await server.end()
  }
  async function commands({ subject }: Place) {
    const file = join(folder, `backup-${process.pid}`)
    const target = await subject.emptyStorage()
    try {
      const backupSeconds = await runCommand('backup', '--storage', subject.storage, '--to', file)
      const restoreSeconds = await runCommand('restore', file, '--to', target)
      const isFolder = subject.storage.startsWith('level:')
      const reindexSeconds = isFolder ? await runCommand('reindex', '--storage', target) : undefined
      return { backupSeconds, restoreSeconds, ...(reindexSeconds === undefined ? {} : { reindexSeconds }) }
    } finally {
      rmSync(file, { force: true })
      if (target.startsWith('level:')) rmSync(target.slice('level:'.length), { recursive: true, force: true })
    }
  }
}

/** Creates tokens that expire together, and returns the seconds from the first commit of the sweep to its last. */
async function sweep({ url }: Started, progress: Progress): Promise<number> {
  const requests = Math.min(sweptTokens, Math.max(1_000, progress.count))
  const expiresMs = Date.now() + 20_000 + requests * 2
  const expiresAt = new Date(expiresMs).toISOString()
  const request = () => createAt(progress.next++, expiresAt)
  await load({ urls: [url], keys: [keys.private], connections: clients, requests, request })
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
