/**
 * A process of its own that reads one token over and over, on a connection of its own, and tells its parent of
 * every read that was slow. Whatever keeps the fuzz itself busy does not count here.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { keys } from './callers.ts'
import { FuzzConnection } from './connection.ts'

export interface WatchJob {
  readonly port: number
  readonly pid: number
}

/** A read, one that took long where it is told. Times are epoch milliseconds with fractions, the same in every process. */
export interface SlowRead {
  readonly startMs: number
  readonly endMs: number
  /** What of it the server is to blame for. */
  readonly netMs: number
}

export interface WatchSummary {
  readonly reads: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

export type WatchMessage =
  | { readonly slow: SlowRead }
  | { readonly summary: WatchSummary }
  | { readonly failed: string }

/** Reads faster than this are not worth telling. */
const slowMs = 100
const pauseMs = 10
const timeoutMs = 60_000

const nowMs = () => performance.timeOrigin + performance.now()

/**
 * Milliseconds that the main thread of a process was ready to run and no processor was free for it, since its
 * start. A machine that is busy with other programs must not look like a slow server. 0 where the system does
 * not say.
 */
function waitedMs(pid: number | 'self'): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

/** Reads until it fails, and tells of what it has read when it is asked to. */
async function watch({ port, pid }: WatchJob): Promise<void> {
  let taken: number[] = []
  let isAsked = false
  let isOver = false
  const tellSummary = () => {
    const sorted = taken.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    tell({ summary: { reads: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) } })
    taken = []
    isAsked = false
  }
  process.on('message', () => {
    // The read that is under way may be the slow one.
    isAsked = true
    if (isOver) tellSummary()
  })
  try {
    for await (const { status, startMs, endMs, netMs } of reads(port, pid)) {
      taken.push(netMs)
      if (status >= 500) tell({ failed: `a read beside the cases was answered ${status}` })
      if (netMs > slowMs) tell({ slow: { startMs, endMs, netMs } })
      if (isAsked) tellSummary()
    }
  } catch (error) {
    tell({ failed: `the reads beside the cases ended: ${(error as Error).message}` })
  }
  isOver = true
  if (isAsked) tellSummary()
}

async function* reads(port: number, pid: number): AsyncGenerator<SlowRead & { readonly status: number }> {
  const connection = new FuzzConnection(port)
  const bytes = Buffer.from(
    `GET /tokens/fuzz-watched HTTP/1.1\r\nHost: localhost\r\nSVC-API-KEY: ${keys.private}\r\n\r\n`,
  )
  for (;;) {
    const waitedBefore = waitedMs(pid) + waitedMs('self')
    const startMs = nowMs()
    const { status } = await connection.exchange(bytes, timeoutMs)
    const endMs = nowMs()
    const netMs = Math.max(0, endMs - startMs - (waitedMs(pid) + waitedMs('self') - waitedBefore))
    yield { status, startMs, endMs, netMs }
    await wait(pauseMs)
  }
}

function tell(message: WatchMessage): void {
  process.send?.(message)
}

process.once('disconnect', () => process.exit())
process.once('message', job => void watch(job as WatchJob))
