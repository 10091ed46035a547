import { Event, EventTarget } from './event.child.ts'
import { bridge } from './host.child.ts'

/** An Error whose name tells the kind, as in browsers. */
export class DOMException extends Error {
  constructor(message: unknown = '', name: unknown = 'Error') {
    super(`${message}`)
    Object.defineProperty(this, 'name', { value: `${name}`, configurable: true, writable: true })
  }
}

const key = Symbol('key')
let abort: (signal: AbortSignal, reason?: unknown) => void

export class AbortSignal extends EventTarget {
  #aborted = false
  #reason: unknown = undefined
  onabort: ((event: Event) => unknown) | null = null

  /** @internal Only controllers and the static functions create signals. */
  constructor(given?: unknown) {
    if (given !== key) throw new TypeError('Illegal constructor')
    super()
    this.addEventListener('abort', event => this.onabort?.(event))
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
      signal.dispatchEvent(new Event('abort'))
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
