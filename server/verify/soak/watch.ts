/**
 * A separate process that sends the same requests again and again, each over a connection of its own, so that the load of
 * the others does not slow them down.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { generate } from '../load/generate.ts'
import { HttpConnection, head, withJson } from '../load/http-connection.ts'

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

/** Sends a request again and again, and tells how long each took: the part of the time that the server caused. */
function repeat(name: string, watched: WatchedRequest, pid: number, took: (ms: number) => void): void {
  const { port, method = 'GET', path, key, body, opensAgain } = watched
  const text = body ? withJson(method, path, key, JSON.stringify(body)) : head(method, path, key)
  const open = () => new HttpConnection({ port, host: '127.0.0.1' })
  let connection = open()
  const send = async () => {
    try {
      const { status } = await connection.exchange(text)
      if (status >= 400) report({ failed: `${name} had status ${status}` })
    } catch (error) {
      report({ failed: `${name} failed: ${(error as Error).message}` })
    }
    if (!opensAgain && !connection.socket.destroyed) return
    connection.socket.destroy()
    connection = open()
  }
  const clock = () => performance.now() - waitedMs(pid) - waitedMs('self')
  void generate({ senders: 1, pauseMs, send, clock, took: ms => took(Math.max(0, ms)) })
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
  for (const [name, one] of Object.entries(requests)) repeat(name, one, pid, ms => void taken[name]?.push(ms))
}

function report(message: WatchMessage): void {
  process.send?.(message)
}

process.once('disconnect', () => process.exit())
process.once('message', job => void watch(job as WatchJob))
