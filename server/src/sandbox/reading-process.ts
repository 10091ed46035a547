import { type Frame, FrameError } from './frames.ts'
import type { SandboxLimits } from './limits.ts'
import type { Launched } from './os-process.ts'
import { type End, Runner } from './runner.ts'

/** Text that a compartment takes, or why there is none. */
export type Prepared =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly detail: string }

/** A text that was not read to its end, which says nothing of the text: the next time it may be. */
export class NotRead extends Error {
  override readonly name = 'NotRead'
  /** `slow`: the text used the processor time there is; `starved`: it did not get that time. */
  readonly why: 'slow' | 'starved' | 'memory' | 'crash'

  constructor(why: NotRead['why']) {
    super('the text was not read')
    this.why = why
  }
}

export interface ReadingOptions {
  readonly launch: () => Launched
  readonly limits: SandboxLimits
  readonly program: Uint8Array
}

const watchMs = 50
const nothing = { outputBytes: 0, callBodyBytes: 0, consoleLines: 0, consoleLineLength: 0 }
const header = {
  svcNames: [],
  headerPrefix: '',
  moduleNames: [],
  wantsCache: false,
  limits: { ...nothing, consoleBytes: 0, timers: 0 },
}

interface Reading {
  readonly run: number
  readonly resolve: (prepared: Prepared) => void
  readonly reject: (error: NotRead) => void
  why: NotRead['why']
}

/**
 * A process that reads one text at a time and runs none. Reading a hostile text may take for ever, so the process
 * is ended when it takes too long; the next text gets another.
 */
export class ReadingProcess {
  readonly #options: ReadingOptions
  #runner: Runner | undefined
  #reading: Reading | undefined
  #runs = 0

  constructor(options: ReadingOptions) {
    this.#options = options
  }

  /** @throws {NotRead} and whatever the start of a process throws */
  async read(code: string): Promise<Prepared> {
    const runner = await this.#started()
    // The time a process takes to start is not the text's.
    const run = ++this.#runs
    const watch = setInterval(this.#watch(runner), watchMs)
    runner.hold(true)
    try {
      return await new Promise((resolve, reject) => {
        this.#reading = { run, resolve, reject, why: 'crash' }
        runner.send({ type: 'prepare', run }, Buffer.from(code, 'utf8'))
      })
    } finally {
      clearInterval(watch)
      this.#reading = undefined
      runner.hold(false)
    }
  }

  async close(): Promise<void> {
    const runner = this.#runner
    runner?.kill('closed')
    await runner?.gone()
  }

  async #started(): Promise<Runner> {
    if (!this.#runner?.alive) {
      const { launch, limits, program } = this.#options
      const runner: Runner = new Runner({
        launched: launch(),
        limits,
        header,
        parts: [program, new Uint8Array(0)],
        onFrame: frame => this.#receive(frame),
        onEnd: end => {
          if (this.#runner === runner) this.#ended(end)
        },
      })
      this.#runner = runner
    }
    const runner = this.#runner
    await runner.ready
    if (!runner.alive) throw new NotRead('crash')
    return runner
  }

  /** Ends the process when the text has used its processor time, or when it waited too long for it. */
  #watch(runner: Runner): () => void {
    const { prepareMs, prepareWithinMs } = this.#options.limits
    const sinceMs = performance.now()
    const before = runner.usage()
    return () => {
      const tookMs = performance.now() - sinceMs
      const now = runner.usage()
      const usedMs = before && now ? now.cpuMs - before.cpuMs : tookMs
      const why = usedMs > prepareMs ? 'slow' : tookMs > prepareWithinMs ? 'starved' : undefined
      if (!why) return
      if (this.#reading) this.#reading.why = why
      runner.kill('time')
    }
  }

  #receive({ header, body }: Frame): void {
    const { type, run, ok } = header
    const reading = this.#reading
    if (type !== 'prepared' || !reading || run !== reading.run || typeof ok !== 'boolean') {
      throw new FrameError('nothing was asked')
    }
    const text = Buffer.from(body).toString('utf8')
    reading.resolve(ok ? { ok, text } : { ok, detail: text.slice(0, 300) })
  }

  #ended(end: End): void {
    const reading = this.#reading
    if (reading) reading.reject(new NotRead(end === 'memory' ? 'memory' : reading.why))
  }
}
