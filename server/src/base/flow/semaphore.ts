import { ServiceError } from '../errors.ts'

interface Limits {
  /** Tasks of one name that run at once. */
  readonly running: number
  /** Tasks of one name that wait; one more is refused. */
  readonly waiting: number
}

interface Queue {
  running: number
  readonly waiting: (() => void)[]
}

/** Semaphores by name: each runs at most `running` tasks concurrently; the rest wait in FIFO order. */
export class Semaphores {
  readonly #work: string
  readonly #limits: Limits
  /** Of names with tasks. */
  readonly #queues = new Map<string, Queue>()

  /** @param work in the plural, for the text of a refusal */
  constructor(work: string, limits: Limits) {
    this.#work = work
    this.#limits = limits
  }

  /** Runs a task when it is its turn. @throws {ServiceError} rate_limited, if too many wait */
  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(name) ?? { running: 0, waiting: [] }
    this.#queues.set(name, queue)
    if (queue.running < this.#limits.running) queue.running++
    else if (queue.waiting.length < this.#limits.waiting)
      // Who ends hands its place over.
      await new Promise<void>(resolve => queue.waiting.push(resolve))
    else
      throw new ServiceError('rate_limited', `too many ${this.#work} of this tenant at once`, {
        headers: { 'Retry-After': '1' },
      })
    try {
      return await task()
    } finally {
      const next = queue.waiting.shift()
      if (next) next()
      else if (--queue.running === 0) this.#queues.delete(name)
    }
  }
}
