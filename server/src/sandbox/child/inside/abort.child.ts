import { bridge } from './host.child.ts'

type Listener =
  | ((event: { readonly type: 'abort'; readonly target: AbortSignal }) => void)
  | { handleEvent(event: object): void }

/** An Error whose name tells the kind, as in browsers. */
export class DOMException extends Error {
  constructor(message: unknown = '', name: unknown = 'Error') {
    super(`${message}`)
    Object.defineProperty(this, 'name', { value: `${name}`, configurable: true, writable: true })
  }
}

const key = Symbol('key')
let abort: (signal: AbortSignal, reason?: unknown) => void

export class AbortSignal {
  #aborted = false
  #reason: unknown = undefined
  readonly #listeners = new Set<Listener>()
  onabort: Listener | null = null

  /** @internal Only controllers and the static functions create signals. */
  constructor(given?: unknown) {
    if (given !== key) throw new TypeError('Illegal constructor')
  }

  static abort(reason?: unknown): AbortSignal {
    const signal = new AbortSignal(key)
    abort(signal, reason)
    return signal
  }

  static timeout(ms: unknown): AbortSignal {
    const signal = new AbortSignal(key)
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    bridge.setTimer(() => abort(signal, reason), Number(ms), false)
    return signal
  }

  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const signal = new AbortSignal(key)
    for (const one of [...signals]) {
      if (one.aborted) abort(signal, one.reason)
      else one.addEventListener('abort', () => abort(signal, one.reason))
    }
    return signal
  }

  static {
    abort = (signal, reason = new DOMException('This operation was aborted', 'AbortError')) => {
      if (signal.#aborted) return
      signal.#aborted = true
      signal.#reason = reason
      const event = Object.freeze({ type: 'abort' as const, target: signal })
      for (const listener of [...signal.#listeners, ...(signal.onabort ? [signal.onabort] : [])]) {
        // A listener that throws must not prevent the others from being called.
        bridge.soon(() => {
          if (typeof listener === 'function') Reflect.apply(listener, signal, [event])
          else listener.handleEvent(event)
        })
      }
    }
  }

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason
  }

  /** All listeners are called at most once, since a signal aborts once. */
  addEventListener(type: unknown, listener: Listener | null): void {
    if (type === 'abort' && listener) this.#listeners.add(listener)
  }

  removeEventListener(type: unknown, listener: Listener): void {
    if (type === 'abort') this.#listeners.delete(listener)
  }
}

export class AbortController {
  readonly #signal = new AbortSignal(key)

  get signal(): AbortSignal {
    return this.#signal
  }

  abort(reason?: unknown): void {
    abort(this.#signal, reason)
  }
}
