/**
 * The load generator, a separate process: runs one job at a time for `run.ts` and returns the measurements. It keeps
 * the ids of the tokens that it creates on a server for later gets.
 */
import { Connection } from './connection.ts'
import { type OperationName, requestOf } from './operations.ts'

export interface Job {
  readonly url: string
  /** Other servers on the same data; the connections are distributed among all of them. */
  readonly alsoUrls?: readonly string[]
  /** Existing tokens for the reads, in addition to those that were created. */
  readonly ids?: readonly string[]
  readonly key: string
  /** Keys of several tenants instead, among which the connections are distributed. */
  readonly keys?: readonly string[]
  readonly operation: OperationName
  /** Creates cards with their security code, which is a separate document. */
  readonly cvc: boolean
  readonly connections: number
  /** The job ends after this time, or after this many requests. */
  readonly seconds?: number
  readonly requests?: number
}

export type Outcome = { readonly error: string } | Measured

export interface Measured {
  readonly answered: number
  readonly seconds: number
  /** One for each response, in microseconds. */
  readonly latencies: Uint32Array
  /** Processor time of this generator. */
  readonly cpuUs: number
}

const mostIds = 50_000
let server = ''
/** Of each tenant. */
let ids: string[][] = []
let sent = 0

async function run(job: Job): Promise<Measured> {
  if (server !== job.url) {
    server = job.url
    ids = []
  }
  if (job.ids) ids = [[...job.ids]]
  const { host } = new URL(job.url)
  const ports = [job.url, ...(job.alsoUrls ?? [])].map(url => Number(new URL(url).port))
  const keys = job.keys ?? [job.key]
  const headers = keys.map(key => `Host: ${host}\r\nSVC-API-KEY: ${key}\r\n`)
  const known = keys.map((_, tenant) => {
    ids[tenant] ??= []
    return ids[tenant]
  })
  const connections = await Promise.all(
    Array.from({ length: job.connections }, (_, n) => Connection.open(ports[n % ports.length] ?? 0)),
  )
  const latencies: number[] = []
  const cpu = process.cpuUsage()
  const startMs = performance.now()
  const endMs = startMs + (job.seconds ?? Number.POSITIVE_INFINITY) * 1000
  let left = job.requests ?? Number.POSITIVE_INFINITY
  const work = (connection: Connection, n: number) =>
    new Promise<void>((resolve, reject) => {
      // Each server gets requests of all tenants.
      const tenant = Math.floor(n / ports.length) % keys.length
      const own = known[tenant] ?? []
      const next = () => requestOf(job.operation, headers[tenant] ?? '', sent++, anyOf(own), job.cvc)
      const step = (sentMs: number) => {
        if (left-- <= 0 || sentMs >= endMs) return resolve()
        const onAnswer = (status: number, body: Buffer) => {
          if (status !== 200 && status !== 201) {
            return reject(new Error(`${job.operation}: status ${status}: ${body}`))
          }
          const nowMs = performance.now()
          // Later responses are not counted: they had fewer and fewer concurrent requests.
          if (nowMs <= endMs) latencies.push((nowMs - sentMs) * 1000)
          if (job.operation === 'create') keepId(own, body)
          step(nowMs)
        }
        connection.send(next(), onAnswer, reject)
      }
      step(performance.now())
    })
  try {
    await Promise.all(connections.map(work))
  } finally {
    for (const connection of connections) connection.close()
  }
  const { user, system } = process.cpuUsage(cpu)
  const seconds = job.seconds ?? (performance.now() - startMs) / 1000
  return { answered: latencies.length, seconds, latencies: Uint32Array.from(latencies), cpuUs: user + system }
}

const anyOf = (own: readonly string[]) => own[Math.floor(Math.random() * own.length)] ?? ''

function keepId(own: string[], body: Buffer): void {
  const start = body.indexOf('"id":"') + 6
  const id = body.toString('latin1', start, body.indexOf('"', start))
  if (own.length < mostIds) own.push(id)
  else own[sent % mostIds] = id
}

process.on('message', (job: Job) => {
  run(job).then(
    measured => process.send?.(measured satisfies Outcome),
    (error: Error) => process.send?.({ error: error.message } satisfies Outcome),
  )
})
process.on('disconnect', () => process.exit())
