// biome-ignore lint/suspicious/noExplicitAny: functions of formulas take anything
type Callback = (...given: any[]) => unknown

/**
 * Keeps its value for the code that is called, not for what that code awaits: nothing here follows promises. A package
 * then finds no value, and never that of another call.
 */
class AsyncLocalStorage {
  #value: unknown

  run(value: unknown, callback: Callback, ...given: unknown[]): unknown {
    const before = this.#value
    this.#value = value
    try {
      return callback(...given)
    } finally {
      this.#value = before
    }
  }

  exit(callback: Callback, ...given: unknown[]): unknown {
    return this.run(undefined, callback, ...given)
  }

  getStore(): unknown {
    return this.#value
  }

  enterWith(value: unknown): void {
    this.#value = value
  }

  disable(): void {
    this.#value = undefined
  }
}

class AsyncResource {
  static bind(callback: Callback): Callback {
    return callback
  }

  runInAsyncScope(callback: Callback, self: unknown, ...given: unknown[]): unknown {
    return Reflect.apply(callback, self, given)
  }

  bind(callback: Callback): Callback {
    return callback
  }

  emitDestroy(): this {
    return this
  }
}

const hook = { enable: () => hook, disable: () => hook }

/** The module `async_hooks`. */
export const asyncHooks = {
  AsyncLocalStorage,
  AsyncResource,
  createHook: () => hook,
  executionAsyncId: () => 1,
  triggerAsyncId: () => 0,
}
