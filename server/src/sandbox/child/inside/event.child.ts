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
