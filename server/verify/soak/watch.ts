/**
 * A separate process that sends the same requests again and again, each over a connection of its own, so that the load of
 * the others does not slow them down.
 */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

export interface WatchedRequest {
  readonly port: number
  readonly method?: string
  readonly path: string
  readonly key: string
  readonly body?: object
  /** True to open a connection for each request. */
  readonly opensAgain?: boolean
}

export interface WatchJob {
  /** Of the server. */
  readonly pid: number
  readonly requests: Readonly<Record<string, WatchedRequest>>
}

/** The times since the last message by the names of requests, sorted, or why one failed. */
export type WatchMessage =
  | { readonly takenMs: Readonly<Record<string, readonly number[]>> }
  | { readonly failed: string }

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

/** Sends a request again and again, and tells how long each took. */
async function repeat(
  name: string,
  watched: WatchedRequest,
  pid: number,
  took: (ms: number) => void,
): Promise<never> {
  const agent = new Agent({ keepAlive: !watched.opensAgain, maxSockets: 1 })
  for (;;) {
    const waitedBefore = waitedMs(pid) + waitedMs('self')
    const startMs = performance.now()
    try {
      const status = await statusOf(watched, agent)
      if (status >= 400) report({ failed: `${name} had status ${status}` })
    } catch (error) {
      report({ failed: `${name} failed: ${(error as Error).message}` })
    }
    const passedMs = performance.now() - startMs
    // The part of the time that the server caused.
    took(Math.max(0, passedMs - (waitedMs(pid) + waitedMs('self') - waitedBefore)))
    await wait(pauseMs)
  }
}

/** Reports the times on request, when a request of each name has ended since: it may be the slow one. */
async function watch({ pid, requests }: WatchJob): Promise<void> {
  const names = Object.keys(requests)
  const noTimes = () => Object.fromEntries(names.map((name): [string, number[]] => [name, []]))
  let taken = noTimes()
  process.on('message', async () => {
    const counts = names.map(name => taken[name]?.length ?? 0)
    while (names.some((name, at) => (taken[name]?.length ?? 0) <= (counts[at] ?? 0))) await wait(pauseMs)
    const takenMs = taken
    taken = noTimes()
    for (const name of names) takenMs[name]?.sort((a, b) => a - b)
    report({ takenMs })
  })
  for (const [name, one] of Object.entries(requests))
    void repeat(name, one, pid, ms => void taken[name]?.push(ms))
}

/** Sends a request and reads its response. */
const statusOf = ({ port, method = 'GET', path, key, body }: WatchedRequest, agent: Agent) =>
  new Promise<number>((resolve, reject) => {
    const headers = { 'SVC-API-KEY': key, ...(body && { 'Content-Type': 'application/json' }) }
    const sent = request({ port, method, path, agent, headers, timeout: timeoutMs }, response => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.once('timeout', () => sent.destroy(new Error(`nothing came for ${timeoutMs} ms`)))
    sent.once('error', reject)
    sent.end(body && JSON.stringify(body))
  })

function report(message: WatchMessage): void {
  process.send?.(message)
}

process.once('disconnect', () => process.exit())
process.once('message', job => void watch(job as WatchJob))
