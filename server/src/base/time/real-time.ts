/**
 * Timers and clocks of the machine, taken when this module is loaded: fake timers that a test installs later must not
 * stop the server, which would hang. Its own clock is moved by `clock.advance`.
 */
export { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from 'node:timers'

const { now } = Date

export const { nextTick } = process

/** Returns epoch milliseconds. */
export const machineMs: () => number = now

/** Returns monotonic milliseconds. */
export const monotonicMs: () => number = performance.now.bind(performance)
