/**
 * The load generator, a process of its own: does one job at a time for `run.ts` and answers what it measured.
 * It keeps the ids of the tokens it made on a server, for the gets that follow.
 */
import { cardNumber } from './cards.ts'
import { Connection } from './connection.ts'

export interface Job {
  readonly url: string
  readonly key: string
  /** Which data a get shows is a matter of the key. */
  readonly operation: 'create' | 'get'
  /** Cards with their security code, which is a document of its own. */
  readonly cvc: boolean
  readonly connections: number
  /** Ends after this time, or after so many requests. */
  readonly seconds?: number
  readonly requests?: number
}

export type Outcome = { readonly error: string } | Measured

export interface Measured {
  readonly answered: number
  readonly seconds: number
  /** One per answer, in microseconds. */
  readonly latencies: Uint32Array
  /** Processor time this generator used. */
  readonly cpuUs: number
}

const mostIds = 50_000
let server = ''
let ids: string[] = []
let cards = 0

async function run(job: Job): Promise<Measured> {
  if (server !== job.url) {
    server = job.url
    ids = []
  }
  const { port, host } = new URL(job.url)
  const headers = `Host: ${host}\r\nSVC-API-KEY: ${job.key}\r\n`
  const next = job.operation === 'create' ? () => createRequest(headers, job.cvc) : () => getRequest(headers)
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => Connection.open(Number(port))),
  )
  const latencies: number[] = []
  const cpu = process.cpuUsage()
  const startMs = performance.now()
  const endMs = startMs + (job.seconds ?? Number.POSITIVE_INFINITY) * 1000
  let left = job.requests ?? Number.POSITIVE_INFINITY
  const work = (connection: Connection) =>
    new Promise<void>((resolve, reject) => {
      const step = (sentMs: number) => {
        if (left-- <= 0 || sentMs >= endMs) return resolve()
        const onAnswer = (status: number, body: Buffer) => {
          if (status !== 200 && status !== 201) {
            return reject(new Error(`${job.operation} answered ${status}: ${body}`))
          }
          const nowMs = performance.now()
          // What is answered after the end was asked with fewer and fewer others beside it.
          if (nowMs <= endMs) latencies.push((nowMs - sentMs) * 1000)
          if (job.operation === 'create') keepId(body)
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

/** A card that was not sent before: equal ones would share their index entries. */
function createRequest(headers: string, cvc: boolean): string {
  const number = cardNumber(cards++)
  const code = cvc ? ',"cvc":"123"' : ''
  const data = `{"number":"${number}","expiration_month":12,"expiration_year":2030${code}}`
  const body = `{"type":"card","data":${data},"metadata":{"customer":"${cards % 1000}"}}`
  // Prism answers the first success it finds in the contract unless told which; the others read past this.
  return `POST /tokens HTTP/1.1\r\n${headers}Prefer: code=201\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

function getRequest(headers: string): string {
  const id = ids[Math.floor(Math.random() * ids.length)] ?? ''
  return `GET /tokens/${id} HTTP/1.1\r\n${headers}\r\n`
}

function keepId(body: Buffer): void {
  const start = body.indexOf('"id":"') + 6
  const id = body.toString('latin1', start, body.indexOf('"', start))
  if (ids.length < mostIds) ids.push(id)
  else ids[cards % mostIds] = id
}

process.on('message', (job: Job) => {
  run(job).then(
    measured => process.send?.(measured satisfies Outcome),
    (error: Error) => process.send?.({ error: error.message } satisfies Outcome),
  )
})
process.on('disconnect', () => process.exit())
