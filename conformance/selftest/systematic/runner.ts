import { Worker } from 'node:worker_threads'
import type { SourceMutant } from './instrument.ts'
import type { Reached } from './plan.ts'
import type { Message, Trial } from './worker.ts'

export interface Verdict {
  readonly name: string
  /** The case that failed, `the run`, or `nothing in time`; undefined for a survivor. */
  readonly by: string | undefined
  readonly why: string
  readonly ms: number
}

/** The program with the instrumented server, in a thread that is replaced when a mutant never ends. */
export class MutantRunner {
  readonly #program: string
  readonly #limitMs: number
  #worker: Worker | undefined

  /** @param limitMs longest time between the ends of two cases */
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

  /** @param loadedWith number of a mutant that has to be on while the server is loaded */
  async attempt(trial: Trial, loadedWith?: number): Promise<Verdict> {
    const started = performance.now()
    if (loadedWith !== undefined) await this.close()
    const message = await this.#ask(trial, loadedWith)
    if (loadedWith !== undefined) await this.close()
    const ms = performance.now() - started
    const { name } = trial
    if (message?.type !== 'done') return { name, by: 'the run', why: 'it ended, or took too long', ms }
    return { name, by: message.by, why: message.why, ms }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  /** Resolves with the next message of the thread; undefined if it ends or takes too long, and then it is replaced. */
  #ask(question: Trial | 'reach', loadedWith = -1): Promise<Message | undefined> {
    this.#worker ??= new Worker(this.#program, { workerData: { loadedWith } })
    const worker = this.#worker
    return new Promise(resolve => {
      const end = (message: Message | undefined) => {
        clearTimeout(timer)
        if (message?.type === 'alive') {
          timer = setTimeout(lost, this.#limitMs)
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
      let timer = setTimeout(lost, this.#limitMs)
      worker.on('message', end).on('error', lost).on('exit', lost)
      worker.postMessage(question)
    })
  }
}
