import { Context, type Surroundings } from './context.ts'
import { Finding } from './finding.ts'
import { Patience } from './patience.ts'

type Own = 'recorder' | 'shared' | 'patience'

/** Makes the contexts of a run, which share what cases make once for all of them. */
export class Fixtures {
  readonly #made = new Map<string, Promise<unknown>>()
  readonly #around: Omit<Surroundings, Own>
  readonly #patience: Surroundings['patience']
  readonly #common: Context
  readonly #recorder: Surroundings['recorder']

  /** @param recorder records what is made for all cases */
  constructor(around: Omit<Surroundings, Own>, recorder: Surroundings['recorder']) {
    this.#around = around
    const { patienceMs, searchLagMs = 5_000 } = around.target
    this.#patience = { results: new Patience(patienceMs), searches: new Patience(searchLagMs) }
    this.#recorder = recorder
    this.#common = this.contextFor(recorder)
  }

  contextFor(recorder: Surroundings['recorder']): Context {
    return new Context({
      ...this.#around,
      recorder,
      patience: this.#patience,
      shared: (name, make) => this.#shared(name, make),
    })
  }

  #shared<T>(name: string, make: (context: Context) => Promise<T>): Promise<T> {
    const made = (this.#made.get(name) ?? this.#make(make)) as Promise<T>
    this.#made.set(name, made)
    return made
  }

  /** A failure names its exchange, which no case has among its own. */
  async #make<T>(make: (context: Context) => Promise<T>): Promise<T> {
    try {
      return await make(this.#common)
    } catch (error) {
      if (!(error instanceof Finding) || error.evidence.exchange) throw error
      const exchange = this.#recorder.exchanges.at(-1)
      throw new Finding(error.message, { ...error.evidence, exchange, cause: error })
    }
  }
}
