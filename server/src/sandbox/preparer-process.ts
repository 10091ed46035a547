import { type Frame, FrameError } from './frames.ts'
import type { SandboxLimits } from './limits.ts'
import type { Launched } from './os-process.ts'
import { type End, Runner } from './runner.ts'

/** Code that a compartment accepts, or the reason reason it cannot be used. */
export type Prepared =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly detail: string }

/** Code could not be prepared. It is not known to be invalid: the next attempt may succeed. */
export class PreparationFailed extends Error {
  override readonly name = 'PreparationFailed'
  /** `slow`: preparing used up its processor time; `starved`: the machine did not provide that time. */
  readonly reason: 'slow' | 'starved' | 'memory' | 'crash'

  constructor(reason: PreparationFailed['reason']) {
    super('the code was not prepared')
    this.reason = reason
  }
}

export interface PreparerProcessOptions {
  readonly launch: () => Launched
  readonly limits: SandboxLimits
  readonly program: Uint8Array
}

const watchMs = 50
const noOutput = { outputBytes: 0, callBodyBytes: 0, consoleLines: 0, consoleLineLength: 0 }
const header = {
  svcNames: [],
  headerPrefix: '',
  moduleNames: [],
  wantsCache: false,
  limits: { ...noOutput, consoleBytes: 0, timers: 0 },
}

interface Preparation {
  readonly run: number
  readonly resolve: (prepared: Prepared) => void
  readonly reject: (error: PreparationFailed) => void
  reason: PreparationFailed['reason']
}

/**
 * A process that parses and rewrites one text at a time, and never runs it. Hostile code may take forever to parse,
 * so the process is ended when it takes too long; the next text gets a new one.
 */
export class PreparerProcess {
  readonly #options: PreparerProcessOptions
  #runner: Runner | undefined
  #current: Preparation | undefined
  #runs = 0

  constructor(options: PreparerProcessOptions) {
    this.#options = options
  }

  /** @throws {PreparationFailed} and whatever the start of a process throws */
  async prepare(code: string): Promise<Prepared> {
    const runner = await this.#started()
    // The time limit of the text does not include the start of the process.
    const run = ++this.#runs
    const watch = setInterval(this.#watch(runner), watchMs)
    runner.keepAlive(true)
    try {
      return await new Promise((resolve, reject) => {
        this.#current = { run, resolve, reject, reason: 'crash' }
        runner.send({ type: 'prepare', run }, Buffer.from(code, 'utf8'))
      })
    } finally {
      clearInterval(watch)
      this.#current = undefined
      runner.keepAlive(false)
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
    if (!runner.alive) throw new PreparationFailed('crash')
    return runner
  }

  /** Ends the process when the text has used up its processor time, or did not get that time soon enough. */
  #watch(runner: Runner): () => void {
    const { prepareMs, prepareWithinMs } = this.#options.limits
    const sinceMs = performance.now()
    const before = runner.usage()
    return () => {
      const tookMs = performance.now() - sinceMs
      const now = runner.usage()
      const usedMs = before && now ? now.cpuMs - before.cpuMs : tookMs
      const reason = usedMs > prepareMs ? 'slow' : tookMs > prepareWithinMs ? 'starved' : undefined
      if (!reason) return
      if (this.#current) this.#current.reason = reason
      runner.kill('time')
    }
  }

  #receive({ header, body }: Frame): void {
    const { type, run, ok } = header
    const current = this.#current
    if (type !== 'prepared' || !current || run !== current.run || typeof ok !== 'boolean') {
      throw new FrameError('no text is being prepared')
    }
    const text = Buffer.from(body).toString('utf8')
    current.resolve(ok ? { ok, text } : { ok, detail: text.slice(0, 300) })
  }

  #ended(end: End): void {
    const current = this.#current
    if (current) current.reject(new PreparationFailed(end === 'memory' ? 'memory' : current.reason))
  }
}
