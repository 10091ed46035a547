import { Context, type Surroundings } from './context.ts'

/** Makes the contexts of a run, which share what cases make once for all of them. */
export class Fixtures {
  readonly #made = new Map<string, Promise<unknown>>()
  readonly #around: Omit<Surroundings, 'recorder' | 'shared'>
  readonly #common: Context

  /** @param recorder records what is made for all cases */
  constructor(around: Omit<Surroundings, 'recorder' | 'shared'>, recorder: Surroundings['recorder']) {
    this.#around = around
    this.#common = this.contextFor(recorder)
  }

  contextFor(recorder: Surroundings['recorder']): Context {
    return new Context({ ...this.#around, recorder, shared: (name, make) => this.#shared(name, make) })
  }

  #shared<T>(name: string, make: (context: Context) => Promise<T>): Promise<T> {
    const made = (this.#made.get(name) ?? make(this.#common)) as Promise<T>
    this.#made.set(name, made)
    return made
  }
}
