import type { Bridge } from './inside/host.child.ts'

/** The invocation that the shared classes use through the bridge. */
export interface Current extends Bridge {
  readonly run: number
}

let current: Current | undefined

export function setCurrent(invocation: Current | undefined): void {
  current = invocation
}

function now(): Current {
  if (!current) throw new TypeError('the invocation is over')
  return current
}

/** Delegates to the current invocation. Code left over from an earlier invocation has no effect. */
export const bridge: Bridge = {
  print: (level, text) => current?.print(level, text),
  setTimer: (callback, ms, repeat) => now().setTimer(callback, ms, repeat),
  clearTimer: id => current?.clearTimer(id),
  soon: callback => now().soon(callback),
  call: (kind, method, target, headers, body) => now().call(kind, method, target, headers, body),
}
