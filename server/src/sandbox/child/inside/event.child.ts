import { bridge } from './host.child.ts'

export type Listener = ((event: Event) => unknown) | { handleEvent(event: Event): unknown }

interface ListenerOptions {
  readonly once?: boolean
}

let setTarget: (event: Event, target: EventTarget) => void
let isStopped: (event: Event) => boolean

export class Event {
  readonly type: string
  readonly bubbles: boolean
  readonly cancelable: boolean
  #target: EventTarget | null = null
  #isPrevented = false
  #isStopped = false

  constructor(
    type: unknown,
    { bubbles = false, cancelable = false }: { bubbles?: unknown; cancelable?: unknown } = {},
  ) {
    if (type === undefined) throw new TypeError('an event has a type')
    this.type = `${type}`
    this.bubbles = Boolean(bubbles)
    this.cancelable = Boolean(cancelable)
  }

  static {
    setTarget = (event, target) => {
      event.#target = target
    }
    isStopped = event => event.#isStopped
  }

  get target(): EventTarget | null {
    return this.#target
  }

  get currentTarget(): EventTarget | null {
    return this.#target
  }

  get defaultPrevented(): boolean {
    return this.#isPrevented
  }

  preventDefault(): void {
    this.#isPrevented ||= this.cancelable
  }

  /** There is no other target that the event could reach. */
  stopPropagation(): void {}

  stopImmediatePropagation(): void {
    this.#isStopped = true
  }
}

export class EventTarget {
  /** By type; each listener with whether it is called once. */
  readonly #listeners = new Map<string, Map<Listener, boolean>>()

  addEventListener(type: unknown, listener: Listener | null, options?: ListenerOptions | boolean): void {
    if (!listener) return
    const listeners = this.#listeners.get(`${type}`) ?? new Map<Listener, boolean>()
    this.#listeners.set(`${type}`, listeners)
    const once = typeof options === 'object' && options?.once === true
    if (!listeners.has(listener)) listeners.set(listener, once)
  }

  removeEventListener(type: unknown, listener: Listener | null): void {
    if (listener) this.#listeners.get(`${type}`)?.delete(listener)
  }

  /** Calls the listeners in order. One that throws fails the invocation, and the others are called all the same. */
  dispatchEvent(event: Event): boolean {
    setTarget(event, this)
    const listeners = this.#listeners.get(event.type)
    for (const [listener, once] of [...(listeners ?? [])]) {
      if (isStopped(event)) break
      if (once) listeners?.delete(listener)
      try {
        if (typeof listener === 'function') Reflect.apply(listener, this, [event])
        else listener.handleEvent(event)
      } catch (error) {
        bridge.soon(() => {
          throw error
        })
      }
    }
    return !event.defaultPrevented
  }
}

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
