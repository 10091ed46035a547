import type { HeaderPairs, Report, RunnerLimits } from '../protocol/messages.ts'
import type { Bridge, CallResponse } from './inside/host.child.ts'

interface PendingCall {
  resolve(response: CallResponse): void
  reject(error: Error): void
}

export interface InvocationOptions {
  readonly run: number
  readonly svc: boolean
  readonly fetch: boolean
  readonly limits: RunnerLimits
  send(header: object, body?: Uint8Array): void
  /** Called once with the result of the invocation. */
  finished(report: Report): void
  /** Returns the report for an error of the formula. */
  explain(error: unknown): Report
}

const longestTimeoutMs = 2_147_483_647
const longestTargetLength = 8_192
const most = 100
/** Captured at the start, since globals could be changed later. */
const { setTimeout, setInterval, clearTimeout, clearInterval, queueMicrotask } = globalThis

/** The timers, output and calls of one invocation. `finish` ends them all. */
export class Invocation implements Bridge {
  readonly #run: number
  readonly #options: InvocationOptions
  readonly #timers = new Map<number, () => void>()
  readonly #calls = new Map<number, PendingCall>()
  #nextTimer = 1
  #nextCall = 1
  #printed = { lines: 0, length: 0 }
  #over = false

  constructor(options: InvocationOptions) {
    this.#options = options
    this.#run = options.run
  }

  /** Ends the invocation. Further calls have no effect. */
  finish(report: Report): void {
    if (this.#over) return
    this.#over = true
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
    this.#calls.clear()
    this.#options.finished(report)
  }

  fail(error: unknown): void {
    if (!this.#over) this.finish(this.#options.explain(error))
  }

  print(level: string, text: string): void {
    const { lines, lineLength, bytes } = this.#options.limits.console
    if (this.#over || this.#printed.lines >= lines || this.#printed.length >= bytes) return
    const line = `${text}`.slice(0, lineLength)
    this.#printed.lines++
    this.#printed.length += line.length
    this.#options.send({ type: 'console', run: this.#run, level: `${level}`, text: line.toWellFormed() })
  }

  setTimer(callback: () => void, ms: number, repeat: boolean): number {
    if (this.#over) throw new TypeError('the invocation is over')
    if (this.#timers.size >= this.#options.limits.timers) throw new RangeError('too many pending timers')
    const delay = ms >= 1 && ms <= longestTimeoutMs ? ms : 1
    const id = this.#nextTimer++
    const fire = () => {
      if (!repeat) this.#timers.delete(id)
      this.#guard(callback)
    }
    const timer = repeat ? setInterval(fire, delay) : setTimeout(fire, delay)
    this.#timers.set(id, () => (repeat ? clearInterval(timer) : clearTimeout(timer)))
    return id
  }

  clearTimer(id: unknown): void {
    const cancel = this.#timers.get(id as number)
    this.#timers.delete(id as number)
    cancel?.()
  }

  soon(callback: () => void): void {
    queueMicrotask(() => this.#guard(callback))
  }

  #guard(callback: () => void): void {
    if (this.#over) return
    try {
      callback()
    } catch (error) {
      this.fail(error)
    }
  }

  call(
    kind: 'svc' | 'fetch',
    method: string,
    target: string,
    headers: HeaderPairs,
    body?: Uint8Array,
    redirect?: string,
  ) {
    if (this.#over) throw new TypeError('the invocation is over')
    if (kind === 'svc' ? !this.#options.svc : !this.#options.fetch) {
      throw new TypeError('fetch is not available: the operator allows no origin')
    }
    const pairs = headers.map(([name, value]) => [`${name}`, `${value}`] as const)
    const length = pairs.reduce((sum, [name, value]) => sum + name.length + value.length, `${target}`.length)
    if (pairs.length > most || length > longestTargetLength) {
      throw new TypeError('the URL and headers of the request are too long')
    }
    if (body && body.length > this.#options.limits.calls.bodyBytes) {
      throw new TypeError('the body of the request is too long')
    }
    const call = this.#nextCall++
    return new Promise<CallResponse>((resolve, reject) => {
      this.#calls.set(call, { resolve, reject })
      const request = { type: 'call', run: this.#run, call, kind, method: `${method}`, target: `${target}` }
      const more = redirect === undefined || redirect === 'follow' ? {} : { redirect: `${redirect}` }
      this.#options.send({ ...request, ...more, headers: pairs, hasBody: body !== undefined }, body)
    })
  }

  answer(call: number, response: CallResponse): void {
    this.#take(call)?.resolve(response)
  }

  failCall(call: number, message: string): void {
    this.#take(call)?.reject(new TypeError(message))
  }

  #take(call: number): PendingCall | undefined {
    const pending = this.#calls.get(call)
    this.#calls.delete(call)
    return pending
  }
}

let current: Bridge | undefined

/** Sets the invocation that the shared classes use through the bridge. */
export function setCurrent(invocation: Bridge | undefined): void {
  current = invocation
}

function now(): Bridge {
  if (!current) throw new TypeError('the invocation is over')
  return current
}

/** Delegates to the current invocation. Code left over from an earlier invocation has no effect. */
export const bridge: Bridge = {
  print: (level, text) => current?.print(level, text),
  setTimer: (callback, ms, repeat) => now().setTimer(callback, ms, repeat),
  clearTimer: id => current?.clearTimer(id),
  soon: callback => now().soon(callback),
  call: (...request) => now().call(...request),
}
