import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { encodeFrame, type Frame, FrameError, FrameReader } from './frames.ts'
import type { SandboxLimits } from './limits.ts'
import type { BootHeader } from './messages.ts'
import { type Launched, OsProcess } from './os-process.ts'

/** Why a process is gone. */
export type End =
  | 'closed'
  /** What ran in it left it unfit for more. */
  | 'worn'
  | 'time'
  | 'memory'
  | 'protocol'
  /** By itself: the engine gave up, or the system ended it. */
  | 'crash'

export interface RunnerOptions {
  readonly launched: Launched
  readonly limits: SandboxLimits
  readonly header: Omit<BootHeader, 'parts'>
  readonly parts: readonly Uint8Array[]
  /** A frame of a process that has started. @throws {FrameError} where it has no place */
  onFrame(frame: Frame): void
  onEnd(end: End): void
}

/** A process did not start: not in time, or not at all. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted'
  readonly isLate: boolean

  constructor(end: End | undefined) {
    super('a process of the sandbox did not start')
    this.isLate = end === 'time'
  }
}

/** One process and the socket to it. Knows nothing of invocations. */
export class Runner {
  readonly #child: ChildProcess
  readonly #process: OsProcess
  readonly #socket: Socket
  readonly #options: RunnerOptions
  readonly #startDeadline: NodeJS.Timeout
  #end: End | undefined
  #isReady = false
  #isGone = false
  #isTold = false
  readonly ready: Promise<{ readonly cache: Uint8Array }>
  #settleReady: ((frame: Frame | undefined) => void) | undefined

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#child = options.launched.child
    this.#process = new OsProcess(options.launched)
    this.#socket = this.#child.stdio[3] as Socket
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = frame =>
        frame ? resolve({ cache: frame.body }) : reject(new NotStarted(this.#end))
    })
    this.ready.catch(() => {})
    this.#startDeadline = setTimeout(() => this.kill('time'), options.limits.startMs)
    const reader = new FrameReader({
      headerBytes: 64 * 1024,
      bodyBytes: Math.max(options.limits.outputBytes, options.limits.calls.bodyBytes) + 64 * 1024,
    })
    this.#socket?.on('data', chunk => this.#receive(reader, chunk))
    this.#socket?.on('error', () => this.kill('crash'))
    this.#child.on('error', () => {
      this.#isGone = true
      this.#ended('crash')
    })
    this.#child.on('exit', (code, signal) => {
      this.#isGone = true
      this.#ended(this.#end ?? endFor(code, signal))
    })
    // Once it has started it does not keep the server's process from ending.
    this.#child.unref()
    this.#boot()
  }

  get alive(): boolean {
    return this.#end === undefined
  }

  /** @param written called when the process has been sent all of it, which waits for it to read */
  send(header: object, body?: Uint8Array, written?: () => void): void {
    if (this.alive) this.#socket?.write(encodeFrame(header, body), () => written?.())
  }

  /** Ends the process at once; `onEnd` follows. */
  kill(end: End): void {
    if (this.#end !== undefined) return
    this.#end = end
    this.#process.kill()
    this.#socket?.destroy()
    this.#ended(end)
  }

  /** Resolves when the system has let go of the process. Keeps ours from ending until then. */
  gone(): Promise<void> {
    if (this.#isGone) return Promise.resolve()
    this.#child.ref()
    return new Promise(resolve => {
      this.#child.once('exit', () => resolve())
      this.#child.once('error', () => resolve())
    })
  }

  /** While an invocation runs, its process keeps the server's from ending. */
  hold(held: boolean): void {
    if (held) this.#socket?.ref()
    else this.#socket?.unref()
  }

  /** Processor time so far in milliseconds, and resident memory in MiB, where the system tells. */
  usage(): ReturnType<OsProcess['usage']> {
    return this.#process.usage()
  }

  #boot(): void {
    const { header, parts } = this.#options
    const lengths = parts.map(part => part.length)
    this.#socket?.write(encodeFrame({ ...header, parts: lengths }, Buffer.concat(parts)))
  }

  #receive(reader: FrameReader, chunk: Buffer): void {
    try {
      for (const frame of reader.push(chunk)) {
        if (!this.alive) return
        if (this.#isReady) this.#options.onFrame(frame)
        else if (frame.header.type === 'ready') this.#becomeReady(frame)
        else throw new FrameError('a process speaks before it is ready')
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.kill('protocol')
    }
  }

  #becomeReady(frame: Frame): void {
    this.#isReady = true
    clearTimeout(this.#startDeadline)
    this.#socket?.unref()
    // Not sooner: starting would take a second.
    this.#process.lowerPriority()
    this.#settleReady?.(frame)
  }

  #ended(end: End): void {
    clearTimeout(this.#startDeadline)
    this.#end ??= end
    this.#socket?.destroy()
    this.#settleReady?.(undefined)
    this.#settleReady = undefined
    if (this.#isTold) return
    this.#isTold = true
    this.#options.onEnd(this.#end)
  }
}

/** The engine aborts when memory is short: by which signal depends on its version and the processor. */
function endFor(code: number | null, signal: NodeJS.Signals | null): End {
  // The first process of a namespace is not ended by its own SIGABRT, but by what `abort` does after that.
  const isAbort = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV'].includes(`${signal}`)
  return isAbort || code === 134 || code === 133 || code === 132 ? 'memory' : 'crash'
}
