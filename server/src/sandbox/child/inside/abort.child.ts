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

const abort: unique symbol = Symbol('abort')

export class AbortSignal {
  #aborted = false
  #reason: unknown = undefined
  readonly #listeners = new Map<Listener, boolean>()
  onabort: Listener | null = null

  /** @internal Only controllers and the static functions create signals. */
  constructor(key?: unknown) {
    if (key !== abort) throw new TypeError('Illegal constructor')
  }

  static abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): AbortSignal {
    const signal = new AbortSignal(abort)
    signal[abort](reason)
    return signal
  }

  static timeout(ms: unknown): AbortSignal {
    const signal = new AbortSignal(abort)
    bridge.setTimer(
      () => signal[abort](new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      Number(ms),
      false,
    )
    return signal
  }

  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const signal = new AbortSignal(abort)
    for (const one of [...signals]) {
      if (one.aborted) signal[abort](one.reason)
      else one.addEventListener('abort', () => signal[abort](one.reason))
    }
    return signal
  }

  static controlled(): [AbortSignal, (reason: unknown) => void] {
    const signal = new AbortSignal(abort)
    return [signal, reason => signal[abort](reason)]
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

  addEventListener(type: unknown, listener: Listener | null, options?: boolean | { once?: boolean }): void {
    if (type !== 'abort' || !listener) return
    this.#listeners.set(listener, typeof options === 'object' && Boolean(options?.once))
  }

  removeEventListener(type: unknown, listener: Listener): void {
    if (type === 'abort') this.#listeners.delete(listener)
  }

  [abort](reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    const event = Object.freeze({ type: 'abort' as const, target: this })
    const listeners = [...this.#listeners.keys(), ...(this.onabort ? [this.onabort] : [])]
    this.#listeners.clear()
    for (const listener of listeners) {
      // A listener that throws must not prevent the others from being called.
      bridge.soon(() => {
        if (typeof listener === 'function') Reflect.apply(listener, this, [event])
        else listener.handleEvent(event)
      })
    }
  }
}

export class AbortController {
  readonly #signal: AbortSignal
  readonly #abort: (reason: unknown) => void

  constructor() {
    const [signal, abort] = AbortSignal.controlled()
    this.#signal = signal
    this.#abort = abort
  }

  get signal(): AbortSignal {
    return this.#signal
  }

  abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): void {
    this.#abort(reason)
  }
}
