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

/** The times of the reads since the last message, sorted, or why one failed. */
export type WatchMessage = { readonly takenMs: readonly number[] } | { readonly failed: string }

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

/** Reads again and again, and reports the times on request, when the current read has ended: it may be the slow one. */
async function watch({ port, pid, path, key, opensAgain = false }: WatchJob): Promise<never> {
  const agent = new Agent({ keepAlive: !opensAgain, maxSockets: 1 })
  const options = { port, path, agent, headers: { 'SVC-API-KEY': key }, timeout: timeoutMs }
  let isAsked = false
  process.on('message', () => {
    isAsked = true
  })
  for (let takenMs: number[] = []; ; ) {
    const waitedBefore = waitedMs(pid) + waitedMs('self')
    const startMs = performance.now()
    try {
      const status = await statusOf(options)
      if (status >= 500) report({ failed: `a concurrent read had status ${status}` })
    } catch (error) {
      report({ failed: `a concurrent read failed: ${(error as Error).message}` })
    }
    const passedMs = performance.now() - startMs
    // The part of the time that the server caused.
    takenMs.push(Math.max(0, passedMs - (waitedMs(pid) + waitedMs('self') - waitedBefore)))
    if (isAsked) {
      report({ takenMs: takenMs.sort((a, b) => a - b) })
      takenMs = []
      isAsked = false
    }
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
