import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setPriority } from 'node:os'
import { clearTimeout, setTimeout } from '../../base/time/real-time.ts'
import { encodeFrame, type Frame, FrameError, FrameReader } from '../protocol/frames.ts'
import type { BootHeader } from '../protocol/messages.ts'
import type { SandboxLimits } from '../sandbox-limits.ts'

const ticksPerSecond = 100
const pageSize = 4096
/** On the scale of `nice`, where 19 is the lowest priority. */
const niceness = 10

/** A process that a launcher has started. */
export interface Launched {
  readonly child: ChildProcess
  /**
   * True if the child only waits for its own child, which runs Node in a PID namespace. The two end together: the
   * outer one when the inner one has ended, and the inner one, as the first of its namespace, with all in it.
   */
  readonly isForked: boolean
}

/** The process that runs Node, as the operating system sees it. */
export class OsProcess {
  readonly #child: ChildProcess
  readonly #isForked: boolean
  #pid: number | undefined

  constructor({ child, isForked }: Launched) {
    this.#child = child
    this.#isForked = isForked
  }

  /** The id of the process that runs Node; `undefined` if there is none (yet). */
  get pid(): number | undefined {
    this.#pid ??= this.#isForked ? this.#forked() : this.#child.pid
    return this.#pid
  }

  /** Ends it at once. The exit of the child follows. */
  kill(): void {
    // Looked up again: a remembered id could belong to another process by now.
    const forked = this.#isForked ? this.#forked() : undefined
    if (forked === undefined) this.#child.kill('SIGKILL')
    else tryTo(() => process.kill(forked, 'SIGKILL'))
  }

  /** Gives the server's own work priority. Not every host allows it; the other limits hold nevertheless. */
  lowerPriority(): void {
    const { pid } = this
    if (pid !== undefined) tryTo(() => setPriority(pid, niceness))
  }

  /** Returns processor time in milliseconds and resident memory in MiB, if the system reports them. */
  usage(): { readonly cpuMs: number; readonly residentMiB: number } | undefined {
    return tryTo(() => {
      const stat = readFileSync(`/proc/${this.pid}/stat`, 'latin1')
      // The process name in brackets may itself contain brackets and spaces.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const ticks = Number(fields[11]) + Number(fields[12])
      return {
        cpuMs: (ticks * 1000) / ticksPerSecond,
        residentMiB: (Number(fields[21]) * pageSize) / 2 ** 20,
      }
    })
  }

  #forked(): number | undefined {
    const { pid } = this.#child
    const children = tryTo(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1'))
    const [first] = children?.trim().split(' ') ?? []
    return first ? Number(first) : undefined
  }
}

function tryTo<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}

/** The reason why a process ended. */
export type End =
  | 'closed'
  /** Unfit for further invocations because of the code that ran in it. */
  | 'unfit'
  | 'time'
  | 'memory'
  | 'protocol'
  /** V8 aborted, or the system ended the process. */
  | 'crash'

export interface RunnerOptions {
  readonly launched: Launched
  readonly limits: SandboxLimits
  readonly header: Omit<BootHeader, 'parts'>
  readonly parts: readonly Uint8Array[]
  /** Handles a frame of a started process. @throws {FrameError} if the frame violates the protocol */
  onFrame(frame: Frame): void
  onEnd(end: End): void
}

/** A process did not start, or not in time. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted'
  readonly isLate: boolean

  constructor(end: End | undefined) {
    super('a process of the sandbox did not start')
    this.isLate = end === 'time'
  }
}

/** A process and the socket to it. Does not know about invocations. */
export class FormulaRunner {
  readonly #child: ChildProcess
  readonly #process: OsProcess
  readonly #socket: Socket
  readonly #options: RunnerOptions
  readonly #startDeadline: NodeJS.Timeout
  #end: End | undefined
  #isReady = false
  #isGone = false
  #isReported = false
  readonly ready: Promise<{ readonly cache: Uint8Array }>
  #settleReady: ((frame: Frame | undefined) => void) | undefined

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#child = options.launched.child
    this.#process = new OsProcess(options.launched)
    this.#socket = this.#child.stdout as Socket
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
    // A started process does not keep the server's process alive.
    this.#child.unref()
    const lengths = options.parts.map(part => part.length)
    this.#socket?.write(encodeFrame({ ...options.header, parts: lengths }, Buffer.concat(options.parts)))
  }

  get alive(): boolean {
    return this.#end === undefined
  }

  /** @param written called when all of it was written to the socket, which waits until the process reads */
  send(header: object, body?: Uint8Array, written?: () => void): void {
    if (this.alive) this.#socket?.write(encodeFrame(header, body), () => written?.())
  }

  /** Ends the process immediately and calls `onEnd`. */
  kill(end: End): void {
    if (this.#end !== undefined) return
    this.#end = end
    this.#process.kill()
    this.#socket?.destroy()
    this.#ended(end)
  }

  /** Resolves when the process has exited. Keeps the server's process alive until then. */
  gone(): Promise<void> {
    if (this.#isGone) return Promise.resolve()
    this.#child.ref()
    return new Promise(resolve => {
      this.#child.once('exit', () => resolve())
      this.#child.once('error', () => resolve())
    })
  }

  /** Set while an invocation runs: its process then keeps the server's process alive. */
  keepAlive(isNeeded: boolean): void {
    if (isNeeded) this.#socket?.ref()
    else this.#socket?.unref()
  }

  /** Returns processor time in milliseconds and resident memory in MiB, if the system reports them. */
  usage(): ReturnType<OsProcess['usage']> {
    return this.#process.usage()
  }

  #receive(reader: FrameReader, chunk: Buffer): void {
    try {
      for (const frame of reader.push(chunk)) {
        if (!this.alive) return
        if (this.#isReady) this.#options.onFrame(frame)
        else if (frame.header.type === 'ready') this.#becomeReady(frame)
        else throw new FrameError('a frame before "ready"')
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
    // Not earlier: starting at low priority would take a second.
    this.#process.lowerPriority()
    this.#settleReady?.(frame)
  }

  #ended(end: End): void {
    clearTimeout(this.#startDeadline)
    this.#end ??= end
    this.#socket?.destroy()
    this.#settleReady?.(undefined)
    this.#settleReady = undefined
    if (this.#isReported) return
    this.#isReported = true
    this.#options.onEnd(this.#end)
  }
}

/** V8 aborts when memory is short; the signal depends on its version and the processor. */
function endFor(code: number | null, signal: NodeJS.Signals | null): End {
  // The first process of a PID namespace ignores its own SIGABRT and is ended by what `abort` does next.
  const isAbort = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV'].includes(`${signal}`)
  return isAbort || code === 134 || code === 133 || code === 132 ? 'memory' : 'crash'
}
