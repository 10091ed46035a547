import type { Store } from '../../port/port.ts'

/** Two stores on the same data behind one face: each call goes to the other one than the call before. */
export class TwoProcesses implements Store {
  readonly #stores: readonly [Store, Store]
  #calls = 0

  constructor(first: Store, second: Store) {
    this.#stores = [first, second]
  }

  get #next(): Store {
    return this.#stores[this.#calls++ % 2 === 0 ? 0 : 1]
  }

  commit(...given: Parameters<Store['commit']>) {
    return this.#next.commit(...given)
  }

  get(...given: Parameters<Store['get']>) {
    return this.#next.get(...given)
  }

  now() {
    return this.#next.now?.()
  }

  find(...given: Parameters<Store['find']>) {
    return this.#next.find(...given)
  }

  due(...given: Parameters<Store['due']>) {
    return this.#next.due(...given)
  }

  lease(...given: Parameters<Store['lease']>) {
    return this.#next.lease(...given)
  }

  compact() {
    return this.#next.compact()
  }

  clear() {
    return this.#next.clear()
  }

  unhealthy() {
    return this.#next.unhealthy()
  }

  async close() {
    await Promise.all(this.#stores.map(store => store.close()))
  }
}
