import { Worker } from 'node:worker_threads'
import type { SourceMutant } from './instrument.ts'
import type { Reached } from './plan.ts'
import type { Message, Trial } from './worker.ts'

export interface Verdict {
  readonly name: string
  /** The case that failed, or `the run`; undefined for a survivor. */
  readonly by: string | undefined
  readonly why: string
  readonly ms: number
}

/** A trial, and how long the case took that was the last. */
interface Attempt extends Verdict {
  /** Undefined if the run ended before its first case. */
  readonly last: string | undefined
  readonly lastMs: number
}

/** A case that takes longer may have failed because the machine was busy. */
const slowMs = 2_500

/** The program with the instrumented server, in a thread that is replaced when a mutant never ends. */
export class MutantRunner {
  readonly #program: string
  readonly #limitMs: number
  #worker: Worker | undefined
  #last: string | undefined
  #lastBegan = 0

  /** @param limitMs longest time of one case */
  constructor(program: string, limitMs = 15_000) {
    this.#program = program
    this.#limitMs = limitMs
  }

  /** Runs all cases without a mutant. @throws {Error} if one fails */
  async reach(mutants: readonly SourceMutant[]): Promise<Reached> {
    const message = await this.#ask('reach')
    if (message?.type !== 'reach')
      throw new Error(`the run without a mutant did not end: ${JSON.stringify(message)}`)
    if (message.failed.length > 0)
      throw new Error(`without a mutant, cases fail: ${message.failed.join('; ')}`)
    const named = (numbers: readonly number[]) => numbers.flatMap(number => mutants[number]?.id ?? [])
    return {
      cases: message.cases.map(one => ({ ...one, mutants: named(one.mutants) })),
      start: named(message.start),
    }
  }

  /**
   * Runs the cases of a trial until one fails. A kill that took long is confirmed, so that a slow machine kills nothing:
   * the case has to pass without the mutant, and be much faster or fail with it once more.
   * @param loadedWith number of a mutant that has to be on while the server is loaded
   */
  async attempt(trial: Trial, loadedWith?: number): Promise<Verdict> {
    const { last, lastMs, ...verdict } = await this.#once(trial, loadedWith)
    if (verdict.by === undefined || lastMs < slowMs) return verdict
    const cases = last === undefined ? trial.cases.slice(0, 1) : [last]
    const without = await this.#once({ name: 'no mutant', cases })
    const isConfirmed =
      without.by === undefined &&
      (without.ms * 4 < lastMs || (await this.#once({ ...trial, cases }, loadedWith)).by !== undefined)
    return isConfirmed ? verdict : { ...verdict, by: undefined, why: `only once killed by ${last}` }
  }

  async #once(trial: Trial, loadedWith?: number): Promise<Attempt> {
    const started = performance.now()
    this.#last = undefined
    this.#lastBegan = started
    if (loadedWith !== undefined) await this.close()
    const message = await this.#ask(trial, loadedWith)
    if (loadedWith !== undefined) await this.close()
    const now = performance.now()
    const times = { ms: now - started, last: this.#last, lastMs: now - this.#lastBegan }
    const { name } = trial
    if (message?.type !== 'done')
      return { name, by: 'the run', why: `it ended, or took too long, in ${this.#last}`, ...times }
    return { name, by: message.by, why: message.why, ...times }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  /** Resolves with the next message of the thread; undefined if it ends or takes too long, and then it is replaced. */
  #ask(question: Trial | 'reach', loadedWith = -1): Promise<Message | undefined> {
    // A busy machine may take long to load the program, and without a mutant all cases end.
    const longMs = 4 * this.#limitMs
    const limitMs = question === 'reach' ? longMs : this.#limitMs
    const isNew = this.#worker === undefined
    this.#worker ??= new Worker(this.#program, { workerData: { loadedWith } })
    const worker = this.#worker
    return new Promise(resolve => {
      const end = (message: Message | undefined) => {
        clearTimeout(timer)
        if (message?.type === 'begins') {
          this.#last = message.id
          this.#lastBegan = performance.now()
          timer = setTimeout(lost, limitMs)
          return
        }
        worker.off('message', end).off('error', lost).off('exit', lost)
        resolve(message)
      }
      const lost = () => {
        this.#worker = undefined
        void worker.terminate()
        end(undefined)
      }
      let timer = setTimeout(lost, isNew ? longMs : limitMs)
      worker.on('message', end).on('error', lost).on('exit', lost)
      worker.postMessage(question)
    })
  }
}
