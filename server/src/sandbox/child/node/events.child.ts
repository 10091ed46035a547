import { callable } from './callable.child.ts'

export type Listener = (...values: unknown[]) => unknown
type Name = string | symbol

/** A function and the one that is called for it, which differ for `once`. */
interface Kept {
  readonly listener: Listener
  readonly called: Listener
}

/** Members that are not of Node have names that no subclass has, which would replace them. */
class Emitter {
  _events: Map<Name, readonly Kept[]> = new Map()

  private _emitterListeners(name: Name): readonly Kept[] {
    return this._events.get(name) ?? []
  }

  private _emitterAdd(name: Name, kept: Kept, first: boolean): this {
    if (typeof kept.listener !== 'function') throw new TypeError('a listener must be a function')
    if (this._events.has('newListener')) this.emit('newListener', name, kept.listener)
    this._events.set(
      name,
      first ? [kept, ...this._emitterListeners(name)] : [...this._emitterListeners(name), kept],
    )
    return this
  }

  private _emitterOnce(name: Name, listener: Listener): Kept {
    const called: Listener = (...values) => {
      this.removeListener(name, called)
      return Reflect.apply(listener, this, values)
    }
    return { listener, called }
  }

  on(name: Name, listener: Listener): this {
    return this._emitterAdd(name, { listener, called: listener }, false)
  }

  addListener(name: Name, listener: Listener): this {
    return this.on(name, listener)
  }

  prependListener(name: Name, listener: Listener): this {
    return this._emitterAdd(name, { listener, called: listener }, true)
  }

  once(name: Name, listener: Listener): this {
    return this._emitterAdd(name, this._emitterOnce(name, listener), false)
  }

  prependOnceListener(name: Name, listener: Listener): this {
    return this._emitterAdd(name, this._emitterOnce(name, listener), true)
  }

  off(name: Name, listener: Listener): this {
    return this.removeListener(name, listener)
  }

  removeListener(name: Name, listener: Listener): this {
    const all = this._emitterListeners(name)
    const at = all.findLastIndex(kept => kept.listener === listener || kept.called === listener)
    if (at < 0) return this
    const left = all.filter((_kept, index) => index !== at)
    if (left.length > 0) this._events.set(name, left)
    else this._events.delete(name)
    if (this._events.has('removeListener')) this.emit('removeListener', name, listener)
    return this
  }

  removeAllListeners(name?: Name): this {
    if (name === undefined) this._events.clear()
    else this._events.delete(name)
    return this
  }

  emit(name: Name, ...values: unknown[]): boolean {
    const all = this._emitterListeners(name)
    if (all.length === 0 && name === 'error') {
      throw values[0] instanceof Error ? values[0] : new Error('an error event that nothing listens to')
    }
    for (const { called } of all) Reflect.apply(called, this, values)
    return all.length > 0
  }

  listeners(name: Name): Listener[] {
    return this._emitterListeners(name).map(({ listener }) => listener)
  }

  rawListeners(name: Name): Listener[] {
    return this._emitterListeners(name).map(({ called }) => called)
  }

  listenerCount(name: Name): number {
    return this._emitterListeners(name).length
  }

  eventNames(): Name[] {
    return [...this._events.keys()]
  }

  setMaxListeners(): this {
    return this
  }

  getMaxListeners(): number {
    return 0
  }
}

export type EventEmitter = Emitter
export const EventEmitter = callable(Emitter)

/** Resolves with the values of the next event of this name, and rejects at an error. */
function once(emitter: EventEmitter, name: Name): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(error)
    emitter.once(name, (...values) => {
      emitter.removeListener('error', fail)
      resolve(values)
    })
    if (name !== 'error') emitter.once('error', fail)
  })
}

export const events = Object.assign(EventEmitter, { EventEmitter, once, defaultMaxListeners: 10 })
