/**
 * A separate process that reads one token again and again over its own connection, so that the load of the others
 * does not slow these reads down.
 */
import { readFileSync } from 'node:fs'
import { Agent, type RequestOptions, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

export interface WatchJob {
  readonly port: number
  readonly pid: number
  /** Of a token. */
  readonly path: string
  readonly key: string
  /** True to open a connection for each read. */
  readonly opensAgain?: boolean
}

export interface WatchSummary {
  readonly reads: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

export type WatchMessage = { readonly summary: WatchSummary } | { readonly failed: string }

const pauseMs = 10
const timeoutMs = 60_000

/**
 * Returns the milliseconds since its start in which the main thread of a process was ready to run but had no
 * processor, so that a busy machine does not look like a slow server. 0 if the system does not report them.
 */
function waitedMs(pid: number | 'self'): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

/** Reads until a read fails, and reports a summary on request. */
async function watch(job: WatchJob): Promise<void> {
  let taken: number[] = []
  let isAsked = false
  let isOver = false
  const tellSummary = () => {
    const sorted = taken.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    report({ summary: { reads: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) } })
    taken = []
    isAsked = false
  }
  process.on('message', () => {
    // The current read may be the slow one.
    isAsked = true
    if (isOver) tellSummary()
  })
  try {
    for await (const { status, netMs } of reads(job)) {
      taken.push(netMs)
      if (status >= 500) report({ failed: `a concurrent read had status ${status}` })
      if (isAsked) tellSummary()
    }
  } catch (error) {
    report({ failed: `the concurrent reads ended: ${(error as Error).message}` })
  }
  isOver = true
  if (isAsked) tellSummary()
}

async function* reads({
  port,
  pid,
  path,
  key,
  opensAgain = false,
}: WatchJob): AsyncGenerator<{ readonly status: number; readonly netMs: number }> {
  const agent = new Agent({ keepAlive: !opensAgain, maxSockets: 1 })
  const options = { port, path, agent, headers: { 'SVC-API-KEY': key }, timeout: timeoutMs }
  for (;;) {
    const waitedBefore = waitedMs(pid) + waitedMs('self')
    const startMs = performance.now()
    const status = await statusOf(options)
    const passedMs = performance.now() - startMs
    // The part of the time that the server caused.
    const netMs = Math.max(0, passedMs - (waitedMs(pid) + waitedMs('self') - waitedBefore))
    yield { status, netMs }
    await wait(pauseMs)
  }
}

/** Sends a request and reads its response. */
const statusOf = (options: RequestOptions) =>
  new Promise<number>((resolve, reject) => {
    const sent = request(options, response => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.once('timeout', () => sent.destroy(new Error(`nothing came for ${timeoutMs} ms`)))
    sent.once('error', reject)
    sent.end()
  })

function report(message: WatchMessage): void {
  process.send?.(message)
}

process.once('disconnect', () => process.exit())
process.once('message', job => void watch(job as WatchJob))
