type Listener<T> = (message: T) => void

/** One kind of event of one server. Costs a comparison while nobody listens. */
export class Channel<T> {
  #listeners: readonly Listener<T>[] = []

  /** True if somebody listens: only then a message that takes work need be made. */
  get isHeard(): boolean {
    return this.#listeners.length > 0
  }

  listen(listener: Listener<T>): void {
    this.#listeners = [...this.#listeners, listener]
  }

  publish(message: T): void {
    for (const listener of this.#listeners) listener(message)
  }
}
