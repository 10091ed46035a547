import { setTimeout as wait } from 'node:timers/promises'

/** Who sends, how fast and until when. */
export interface Load {
  /** Each sends its next request after the response to the one before. */
  readonly senders: number
  /** Sends the n-th request, as one of the senders. What it throws ends the load. */
  readonly send: (n: number, sender: number) => Promise<unknown>
  /** The load ends after this time, after this many requests, or as soon as `isOver` returns true. */
  readonly seconds?: number
  readonly requests?: number
  readonly isOver?: () => boolean
  /** Requests of each sender in a second, if responses come in time: late ones are not made up for. */
  readonly rate?: number
  /** Between a response and the next request. */
  readonly pauseMs?: number
  /** Measures in milliseconds; real time by default. */
  readonly clock?: () => number
  /** Gets the time that each request took; without it they are returned. */
  readonly took?: (ms: number) => void
}

/** The times of requests, in milliseconds. Responses after the end of the load are not among them. */
export interface Taken {
  readonly times: readonly number[]
  readonly seconds: number
}

/** The one generator of measurements and long runs: whatever a request is, a caller sends it. */
export async function generate(load: Load): Promise<Taken> {
  const { senders, send, seconds = Number.POSITIVE_INFINITY, requests = Number.POSITIVE_INFINITY } = load
  const { isOver = () => false, rate, pauseMs, clock = () => performance.now() } = load
  const times: number[] = []
  const { took = ms => void times.push(ms) } = load
  const startMs = performance.now()
  const endMs = startMs + seconds * 1000
  let [sent, lastMs, hasFailed] = [0, startMs, false]
  const work = async (sender: number): Promise<void> => {
    let dueMs = startMs
    while (!hasFailed && sent < requests && performance.now() < endMs && !isOver()) {
      const before = clock()
      await send(sent++, sender)
      const taken = clock() - before
      const nowMs = performance.now()
      // Later ones had fewer and fewer concurrent requests.
      if (nowMs > endMs) return
      lastMs = nowMs
      took(taken)
      if (rate !== undefined) dueMs = Math.max(nowMs, dueMs + 1000 / rate)
      const idleMs = pauseMs ?? dueMs - nowMs
      if (idleMs > 0) await wait(idleMs)
    }
  }
  const working = Array.from({ length: senders }, (_, sender) => work(sender))
  try {
    await Promise.all(working)
  } finally {
    hasFailed = true
  }
  return { times, seconds: requests < Number.POSITIVE_INFINITY ? (lastMs - startMs) / 1000 : seconds }
}
