import { answerCall, CallRefused, readCall } from './calls.ts'
import { type Frame, FrameError } from './frames.ts'
import { lifeCpuSeconds } from './launch.ts'
import type { SandboxLimits } from './limits.ts'
import type { Egress } from './options.ts'
import { ReportError, readReport } from './report.ts'
import type { End, Runner } from './runner.ts'
import type { ConsoleLine, Invocation, Outcome } from './sandbox.ts'

const levels = ['debug', 'log', 'info', 'warn', 'error'] as const
const watchMs = 50
/** Half of what the system allows a process in all its life, so that no invocation is cut off by that. */
const lifeCpuMs = (lifeCpuSeconds * 1000) / 2
/** To look at a process costs as much as a tenth of a short invocation. */
const sizedEvery = 16

/** How often a process is given the time in which it should be free again, as long as it does nothing in it. */
const mostDrains = 10

/** An invocation under way, and what it has cost so far. */
interface Run {
  readonly number: number
  readonly invocation: Invocation
  readonly ended: AbortController
  resolve: (outcome: Outcome) => void
  isDone: boolean
  frames: number
  bytes: number
  lines: number
  calls: number
  open: number
  /** Bytes of responses that the process has not read yet. */
  unread: number
  /** Of the process when the invocation was first looked at. */
  cpuMs: number | undefined
}

export interface TenantProcessOptions {
  readonly limits: SandboxLimits
  readonly egress: Egress | undefined
  /** In lower case. */
  readonly headerPrefix: string
  /** The process is free for the tenant's next invocation. */
  onIdle(): void
  /** `residentMiB` is known anew. */
  onMeasured(): void
  onEnd(end: End): void
}

/**
 * A process and the one tenant it belongs to for life. Runs an invocation at a time and holds the process to
 * the protocol: whatever else it says is its end.
 */
export class TenantProcess {
  readonly #options: TenantProcessOptions
  #runner: Runner | undefined
  #tenant: string | undefined
  #run: Run | undefined
  #runs = 0
  #residentMiB: number | undefined
  #watch: NodeJS.Timeout | undefined
  #drain: NodeJS.Timeout | undefined

  constructor(options: TenantProcessOptions) {
    this.#options = options
  }

  /** @param runner whose frames and end are passed on to this */
  attach(runner: Runner): void {
    this.#runner = runner
  }

  get tenant(): string | undefined {
    return this.#tenant
  }

  get alive(): boolean {
    return this.#runner?.alive === true
  }

  get free(): boolean {
    return this.alive && this.#run === undefined
  }

  /** It has answered, and will be free or gone in a moment. */
  get draining(): boolean {
    return this.alive && this.#run?.isDone === true
  }

  /** Resident memory in MiB of a process at work, as last measured; short invocations are not measured. */
  get residentMiB(): number | undefined {
    return this.#run ? this.#residentMiB : undefined
  }

  kill(end: End): void {
    this.#runner?.kill(end)
  }

  /** Resolves when the system has let go of it. */
  async gone(): Promise<void> {
    await this.#runner?.gone()
  }

  /**
   * Runs the prepared code. The promise settles with the answer; the process is free only at `onIdle`.
   * @param given `{ args, configuration }` as JSON
   */
  run(invocation: Invocation, code: string, given: Uint8Array): Promise<Outcome> {
    const runner = this.#runner
    if (!runner || !this.free) throw new Error('this process is not free')
    if (this.#tenant !== undefined && this.#tenant !== invocation.tenant) {
      throw new Error('a process never serves a second tenant')
    }
    this.#tenant = invocation.tenant
    const codeBytes = Buffer.from(code, 'utf8')
    const body = Buffer.concat([codeBytes, given])
    // The time is the formula's own: it starts here, however long the invocation waited for a process.
    const deadlineMs = performance.now() + invocation.timeoutMs
    return new Promise(resolve => {
      this.#run = {
        number: ++this.#runs,
        invocation,
        ended: new AbortController(),
        resolve,
        isDone: false,
        frames: 0,
        bytes: 0,
        lines: 0,
        calls: 0,
        open: 0,
        unread: 0,
        cpuMs: undefined,
      }
      this.#residentMiB = undefined
      runner.hold(true)
      this.#watch = setInterval(() => this.#look(deadlineMs), watchMs)
      this.#arm(deadlineMs)
      runner.send(
        {
          type: 'run',
          run: this.#runs,
          codeLength: codeBytes.length,
          svc: invocation.svc !== null,
          fetch: this.#options.egress !== undefined,
        },
        body,
      )
    })
  }

  /** A frame of the process. @throws {FrameError} where it has no place */
  receive({ header, body }: Frame): void {
    const run = this.#run
    if (!run || header.run !== run.number) throw new FrameError('there is no such invocation')
    const { frames, bytes } = this.#options.limits.traffic
    run.frames++
    run.bytes += body.length
    if (run.frames > frames || run.bytes > bytes) throw new FrameError('more than an invocation may send')
    if (run.isDone) {
      if (header.type !== 'idle') throw new FrameError('the invocation is over')
      this.#idle(run, header.worn === true)
    } else if (header.type === 'console') this.#print(run, header)
    else if (header.type === 'call') this.#call(run, header, body)
    else if (header.type === 'done') this.#done(run, body)
    else throw new FrameError('unknown type')
  }

  /** The process is gone. */
  ended(end: End): void {
    clearInterval(this.#watch)
    clearTimeout(this.#drain)
    const run = this.#run
    this.#run = undefined
    if (run) this.#settle(run, outcomeFor(end))
    this.#options.onEnd(end)
  }

  #arm(deadlineMs: number): void {
    clearTimeout(this.#drain)
    this.#drain = setTimeout(() => this.kill('time'), Math.max(0, deadlineMs - performance.now()))
  }

  /** A second fence: where the system's limits do not hold, and for processor time, of which it has only one. */
  #look(deadlineMs: number): void {
    const run = this.#run
    const usage = this.#runner?.usage()
    if (!run || run.isDone) return
    if (performance.now() > deadlineMs) this.kill('time')
    if (!usage) return
    run.cpuMs ??= usage.cpuMs
    if (usage.cpuMs - run.cpuMs > this.#options.limits.cpuMs[run.invocation.lane]) this.kill('time')
    if (usage.residentMiB > this.#options.limits.dataMiB) this.kill('memory')
    this.#residentMiB = usage.residentMiB
    this.#options.onMeasured()
  }

  #print(run: Run, { level, text }: Record<string, unknown>): void {
    const { lines, lineLength } = this.#options.limits.console
    const known = levels.find(one => one === level)
    if (!known || typeof text !== 'string' || text.length > lineLength) throw new FrameError('no such line')
    if (++run.lines > lines) throw new FrameError('more lines than may be printed')
    const line: ConsoleLine = { level: known, text }
    try {
      run.invocation.onConsole?.(line)
    } catch {
      // Whoever listens to a formula must not be able to end the server.
    }
  }

  #call(run: Run, header: Record<string, unknown>, body: Uint8Array): void {
    const { limits, egress, headerPrefix } = this.#options
    const call = readCall(header, body)
    if (!call || call.call !== run.calls + 1) throw new FrameError('no such call')
    run.calls++
    if (run.open >= limits.calls.open || run.calls > limits.calls.total) {
      const most =
        run.calls > limits.calls.total ? `${limits.calls.total} in all` : `${limits.calls.open} at once`
      this.#runner?.send({ type: 'failure', call: call.call, message: `too many requests: at most ${most}` })
      return
    }
    run.open++
    const { svc } = run.invocation
    const idempotencyHeader = `${headerPrefix}-idempotency-key`
    const answering = { svc, egress, idempotencyHeader, limits: limits.calls, signal: run.ended.signal }
    // Open until it is written: answers that a process asks for and does not read would fill our memory.
    const answer = (header: object, body: Uint8Array = new Uint8Array(0)) => {
      run.unread += body.length
      const written = () => {
        run.open--
        run.unread -= body.length
      }
      if (this.#run === run && !run.isDone) {
        this.#runner?.send({ ...header, call: call.call }, body, written)
      }
    }
    const fail = (message: string) => answer({ type: 'failure', message })
    answerCall(call, answering).then(
      ({ status, headers, body }) =>
        run.unread + body.length > limits.calls.unreadBytes
          ? fail('too many responses wait to be read')
          : answer({ type: 'answer', status, headers }, body),
      (error: unknown) => fail(error instanceof CallRefused ? error.message : 'the request failed'),
    )
  }

  #done(run: Run, body: Uint8Array): void {
    run.isDone = true
    clearInterval(this.#watch)
    clearTimeout(this.#drain)
    const { limits, headerPrefix } = this.#options
    let outcome: Outcome
    try {
      outcome = body.length > limits.outputBytes + 1024 ? tooLong(limits) : readReport(body, headerPrefix)
    } catch (error) {
      if (!(error instanceof ReportError)) throw error
      throw new FrameError('the report is none')
    }
    this.#awaitIdle(mostDrains, undefined)
    this.#settle(run, outcome)
  }

  /** Ends a process that goes on after its answer. One that does not get the processor is given longer. */
  #awaitIdle(left: number, beforeMs: number | undefined): void {
    const { drainMs } = this.#options.limits
    this.#drain = setTimeout(() => {
      const nowMs = this.#runner?.usage()?.cpuMs
      const isStarved = nowMs !== undefined && (beforeMs === undefined || nowMs - beforeMs < drainMs / 2)
      if (isStarved && left > 1) this.#awaitIdle(left - 1, nowMs)
      else this.kill('time')
    }, drainMs)
  }

  #idle(run: Run, worn: boolean): void {
    clearTimeout(this.#drain)
    this.#runner?.hold(false)
    const { runsPerProcess, residentMiB } = this.#options.limits
    // Whoever was looked at once worked for a while, and may have grown.
    const isDue = run.cpuMs !== undefined || run.number % sizedEvery === 0
    const usage = isDue ? this.#runner?.usage() : undefined
    const isSpent = usage !== undefined && (usage.residentMiB > residentMiB || usage.cpuMs > lifeCpuMs)
    this.#run = undefined
    if (worn || isSpent) this.kill('worn')
    else if (run.number >= runsPerProcess) this.kill('closed')
    else this.#options.onIdle()
  }

  #settle(run: Run, outcome: Outcome): void {
    run.ended.abort()
    run.resolve(outcome)
  }
}

function tooLong({ outputBytes }: SandboxLimits): Outcome {
  return { kind: 'failed', reason: 'output', detail: `the output is longer than ${outputBytes} bytes` }
}

function outcomeFor(end: End): Outcome {
  switch (end) {
    case 'time':
      return { kind: 'failed', reason: 'time', detail: 'the formula took too long' }
    case 'memory':
      return { kind: 'failed', reason: 'memory', detail: 'the formula used too much memory' }
    default:
      return { kind: 'failed', reason: 'crash', detail: 'the process of the formula ended' }
  }
}
