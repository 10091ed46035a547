import {
  clearInterval,
  clearTimeout,
  monotonicMs,
  setInterval,
  setTimeout,
} from '../../base/time/real-time.ts'
import { Calls } from '../protocol/calls.ts'
import { type Frame, FrameError } from '../protocol/frames.ts'
import { ReportError, readReport } from '../protocol/report.ts'
import type { ConsoleLine, Egress, Invocation, Outcome } from '../sandbox.ts'
import { lifeCpuSeconds } from './launch.ts'
import { type End, FormulaRunner, type RunnerOptions } from './runner.ts'

const levels = ['debug', 'log', 'info', 'warn', 'error'] as const
const watchMs = 50
/** Half of the system's limit on the process, so that this limit never ends an invocation. */
const lifeCpuMs = (lifeCpuSeconds * 1000) / 2
/** Measuring a process takes about a tenth of the time of a short invocation. */
const sizedEvery = 16

/** The number of times that `drainMs` is extended for a process that gets no processor time. */
const mostDrains = 10

/** The current invocation, and its cost so far. */
interface Run {
  readonly number: number
  readonly invocation: Invocation
  /** Created by the first call: most invocations make none. */
  calls?: Calls
  resolve: (outcome: Outcome) => void
  isDone: boolean
  frames: number
  bytes: number
  lines: number
  /** Processor time of the process when it was first measured during the invocation. */
  cpuMs: number | undefined
}

interface TenantProcessOptions extends Omit<RunnerOptions, 'onFrame'> {
  readonly egress: Egress | undefined
  /** In lower case. */
  readonly headerPrefix: string
  /** Called when the process is free for the tenant's next invocation. */
  onIdle(): void
  /** Called when `residentMiB` was measured. */
  onMeasured(): void
}

/**
 * A process and the one tenant that it serves for its whole life. Runs one invocation at a time. A process that
 * violates the protocol is ended.
 */
export class TenantProcess {
  readonly #options: TenantProcessOptions
  readonly #runner: FormulaRunner
  #tenant: string | undefined
  #run: Run | undefined
  #runs = 0
  #residentMiB: number | undefined
  #watch: NodeJS.Timeout | undefined
  #drain: NodeJS.Timeout | undefined

  constructor(options: TenantProcessOptions) {
    this.#options = options
    this.#runner = new FormulaRunner({
      ...options,
      onFrame: frame => this.#receive(frame),
      onEnd: end => this.#ended(end),
    })
  }

  get ready(): FormulaRunner['ready'] {
    return this.#runner.ready
  }

  get tenant(): string | undefined {
    return this.#tenant
  }

  get alive(): boolean {
    return this.#runner.alive
  }

  get free(): boolean {
    return this.alive && this.#run === undefined
  }

  /** True if the process has answered, and will soon be free or gone. */
  get draining(): boolean {
    return this.alive && this.#run?.isDone === true
  }

  /** Resident memory in MiB of a busy process, as last measured; short invocations are not measured. */
  get residentMiB(): number | undefined {
    return this.#run ? this.#residentMiB : undefined
  }

  kill(end: End): void {
    this.#runner.kill(end)
  }

  /** Resolves when the process has exited. */
  async gone(): Promise<void> {
    await this.#runner.gone()
  }

  /**
   * Runs the code. Resolves with the outcome; the process is not free before `onIdle`.
   * @param input `{ args, configuration }` as JSON
   */
  run(invocation: Invocation, input: Uint8Array): Promise<Outcome> {
    if (!this.free) throw new Error('this process is not free')
    if (this.#tenant !== undefined && this.#tenant !== invocation.tenant) {
      throw new Error('a process never serves a second tenant')
    }
    this.#tenant = invocation.tenant
    const codeBytes = Buffer.from(invocation.code, 'utf8')
    const body = Buffer.concat([codeBytes, input])
    // The time limit of the formula starts here, however long the invocation waited for a process.
    const deadlineMs = monotonicMs() + invocation.timeoutMs
    return new Promise(resolve => {
      this.#run = {
        number: ++this.#runs,
        invocation,
        resolve,
        isDone: false,
        frames: 0,
        bytes: 0,
        lines: 0,
        cpuMs: undefined,
      }
      this.#residentMiB = undefined
      this.#runner.keepAlive(true)
      this.#watch = setInterval(() => this.#measure(deadlineMs), watchMs)
      this.#arm(deadlineMs)
      this.#runner.send(
        {
          type: 'run',
          run: this.#runs,
          codeLength: codeBytes.length,
          svc: invocation.svc !== null,
          fetch: this.#options.egress !== undefined,
          explains: invocation.explains ?? false,
        },
        body,
      )
    })
  }

  /** Handles a frame of the process. @throws {FrameError} if it violates the protocol */
  #receive({ header, body }: Frame): void {
    const run = this.#run
    if (!run || header.run !== run.number) throw new FrameError('not the current invocation')
    const { frames, bytes } = this.#options.limits.traffic
    run.frames++
    run.bytes += body.length
    if (run.frames > frames || run.bytes > bytes) throw new FrameError('too many frames or bytes')
    if (run.isDone) {
      if (header.type !== 'idle') throw new FrameError('the invocation is over')
      this.#idle(run, header.unfit === true)
    } else if (header.type === 'console') this.#print(run, header)
    else if (header.type === 'call') this.#callsOf(run).receive(header, body)
    else if (header.type === 'done') this.#done(run, body)
    else throw new FrameError('unknown type')
  }

  /** Handles the end of the process. */
  #ended(end: End): void {
    clearInterval(this.#watch)
    clearTimeout(this.#drain)
    const run = this.#run
    this.#run = undefined
    if (run) this.#settle(run, outcomeFor(end))
    this.#options.onEnd(end)
  }

  #arm(deadlineMs: number): void {
    clearTimeout(this.#drain)
    this.#drain = setTimeout(() => this.kill('time'), Math.max(0, deadlineMs - monotonicMs()))
  }

  /** Enforces time and memory limits that the system does not, or not for each invocation. */
  #measure(deadlineMs: number): void {
    const run = this.#run
    const usage = this.#runner.usage()
    if (!run || run.isDone) return
    if (monotonicMs() > deadlineMs) this.kill('time')
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
    if (!known || typeof text !== 'string' || text.length > lineLength)
      throw new FrameError('not a valid line')
    if (++run.lines > lines) throw new FrameError('too many lines')
    const line: ConsoleLine = { level: known, text }
    try {
      run.invocation.onConsole?.(line)
    } catch {
      // A listener that throws must not end the server.
    }
  }

  #callsOf(run: Run): Calls {
    const { limits, egress, headerPrefix } = this.#options
    run.calls ??= new Calls({
      svc: run.invocation.svc,
      egress,
      by: run.invocation,
      idempotencyHeader: `${headerPrefix}-idempotency-key`,
      limits: limits.calls,
      send: (header, body, written) => this.#runner.send(header, body, written),
    })
    return run.calls
  }

  #done(run: Run, body: Uint8Array): void {
    run.isDone = true
    clearInterval(this.#watch)
    clearTimeout(this.#drain)
    const { limits, headerPrefix } = this.#options
    const detail = `the output is longer than ${limits.outputBytes} bytes`
    let outcome: Outcome = { kind: 'failed', reason: 'output', detail }
    try {
      if (body.length <= limits.outputBytes + 1024)
        outcome = readReport(body, headerPrefix, run.invocation.explains)
    } catch (error) {
      if (!(error instanceof ReportError)) throw error
      throw new FrameError('not a valid report')
    }
    this.#awaitIdle(mostDrains, undefined)
    this.#settle(run, outcome)
  }

  /** Ends a process that keeps working after its answer. One that does not get the processor gets more time. */
  #awaitIdle(left: number, beforeMs: number | undefined): void {
    const { drainMs } = this.#options.limits
    this.#drain = setTimeout(() => {
      const nowMs = this.#runner.usage()?.cpuMs
      const isStarved = nowMs !== undefined && (beforeMs === undefined || nowMs - beforeMs < drainMs / 2)
      if (isStarved && left > 1) this.#awaitIdle(left - 1, nowMs)
      else this.kill('time')
    }, drainMs)
  }

  #idle(run: Run, unfit: boolean): void {
    clearTimeout(this.#drain)
    this.#runner.keepAlive(false)
    const { runsPerProcess, residentMiB } = this.#options.limits
    // An invocation that was measured ran for a while, so the process may have grown.
    const isDue = run.cpuMs !== undefined || run.number % sizedEvery === 0
    const usage = isDue ? this.#runner.usage() : undefined
    const isSpent = usage !== undefined && (usage.residentMiB > residentMiB || usage.cpuMs > lifeCpuMs)
    this.#run = undefined
    if (unfit || isSpent) this.kill('unfit')
    else if (run.number >= runsPerProcess) this.kill('closed')
    else this.#options.onIdle()
  }

  #settle(run: Run, outcome: Outcome): void {
    run.calls?.end()
    run.resolve(outcome)
  }
}

function outcomeFor(end: End): Outcome {
  if (end === 'time') return { kind: 'failed', reason: end, detail: 'the formula took too long' }
  if (end === 'memory') return { kind: 'failed', reason: end, detail: 'the formula used too much memory' }
  return { kind: 'failed', reason: 'crash', detail: 'the process of the formula ended' }
}
