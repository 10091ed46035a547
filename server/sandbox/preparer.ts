import { LRUCache } from 'lru-cache'
import { sha256 } from '../crypto/digest.ts'
import { type Frame, FrameError } from './frames.ts'
import type { SandboxLimits } from './limits.ts'
import type { Launched } from './os-process.ts'
import { Runner } from './runner.ts'

/** Text that a compartment takes, or why there is none. */
export type Prepared =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly detail: string }

export interface PreparerOptions {
  readonly launch: () => Launched
  readonly limits: SandboxLimits
  readonly program: Uint8Array
}

/** Without one of these a text goes through the compartment's filters as it is. */
const suspicious = /import|<!--|-->/

/** Of all texts that are kept, in characters. */
const keptLength = 8 * 1024 * 1024

interface Job {
  readonly code: string
  readonly resolve: (prepared: Prepared) => void
}

/**
 * Spells harmless code so that the compartment's filters let it pass. Reading a hostile text may take for ever,
 * so it is done in a process that runs none of it, one text at a time, and that is ended when it takes too long.
 */
export class Preparer {
  readonly #options: PreparerOptions
  readonly #known = new LRUCache<string, Prepared>({
    maxSize: keptLength,
    sizeCalculation: prepared => 1 + (prepared.ok ? prepared.text.length : prepared.detail.length),
  })
  readonly #jobs: Job[] = []
  #current: { readonly job: Job; readonly run: number; readonly deadline: NodeJS.Timeout } | undefined
  #runner: Runner | undefined
  #runs = 0

  constructor(options: PreparerOptions) {
    this.#options = options
  }

  /** At once for most code: only what holds a word of the filters' is read. */
  prepare(code: string): Prepared | Promise<Prepared> {
    if (!suspicious.test(code)) return { ok: true, text: code }
    const digest = sha256(code)
    const known = this.#known.get(digest)
    if (known) return known
    return new Promise(resolve => {
      const keep = (prepared: Prepared) => {
        this.#known.set(digest, prepared)
        resolve(prepared)
      }
      this.#jobs.push({ code, resolve: keep })
      void this.#next()
    })
  }

  async close(): Promise<void> {
    const runner = this.#runner
    runner?.kill('closed')
    await runner?.gone()
  }

  async #next(): Promise<void> {
    if (this.#current || this.#jobs.length === 0) return
    const job = this.#jobs.shift() as Job
    const run = ++this.#runs
    // The time a process takes to start is not the text's.
    this.#current = { job, run, deadline: setTimeout(() => {}, 0) }
    try {
      const runner = await this.#started()
      const deadline = setTimeout(() => runner.kill('time'), this.#options.limits.prepareMs)
      this.#current = { job, run, deadline }
      runner.hold(true)
      runner.send({ type: 'prepare', run }, Buffer.from(job.code, 'utf8'))
    } catch {
      this.#finish({ ok: false, detail: 'the code could not be read' })
    }
  }

  async #started(): Promise<Runner> {
    if (!this.#runner?.alive) {
      const runner: Runner = new Runner({
        launched: this.#options.launch(),
        limits: this.#options.limits,
        header: {
          svcNames: [],
          headerPrefix: '',
          moduleNames: [],
          wantsCache: false,
          limits: {
            outputBytes: 0,
            callBodyBytes: 0,
            consoleLines: 0,
            consoleLineLength: 0,
            consoleBytes: 0,
            timers: 0,
          },
        },
        parts: [this.#options.program, new Uint8Array(0)],
        onFrame: frame => this.#receive(frame),
        onEnd: () => {
          if (this.#runner === runner) this.#finish({ ok: false, detail: 'the code takes too long to read' })
        },
      })
      this.#runner = runner
    }
    await this.#runner.ready
    return this.#runner
  }

  #receive({ header, body }: Frame): void {
    const { type, run, ok } = header
    if (type !== 'prepared' || run !== this.#current?.run || typeof ok !== 'boolean') {
      throw new FrameError('nothing was asked')
    }
    const text = Buffer.from(body).toString('utf8')
    this.#runner?.hold(false)
    this.#finish(ok ? { ok, text } : { ok, detail: text.slice(0, 300) })
  }

  #finish(prepared: Prepared): void {
    const current = this.#current
    if (!current) return
    clearTimeout(current.deadline)
    this.#current = undefined
    current.job.resolve(prepared)
    void this.#next()
  }
}
