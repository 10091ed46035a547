import { bridge, natives } from './host.child.ts'

type Callback = (...values: unknown[]) => void

/** Seconds and nanoseconds, as precise as `performance.now`; since `before`, if given. */
export function hrtime(before?: readonly [number, number]): [number, number] {
  const ns = hrtime.bigint()
  const since = before ? ns - (BigInt(before[0]) * 1_000_000_000n + BigInt(before[1])) : ns
  return [Number(since / 1_000_000_000n), Number(since % 1_000_000_000n)]
}
hrtime.bigint = () => BigInt(Math.round(natives.now() * 10)) * 100_000n

/** Prints a line of the console. There is no terminal. */
const output = (fd: number, level: string) => ({
  fd,
  isTTY: false,
  write(text: unknown): boolean {
    bridge.print(level, `${text}`.replace(/\n$/, ''))
    return true
  },
})

/** Facts of no machine, and events that never happen: nothing is kept of their listeners. */
const facts = {
  [Symbol.toStringTag]: 'process',
  addListener<T>(this: T): T {
    return this
  },
  arch: 'x64',
  cwd: () => '/',
  emit: () => false,
  emitWarning() {},
  hrtime,
  listenerCount: () => 0,
  listeners: () => [],
  memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
  off<T>(this: T): T {
    return this
  },
  on<T>(this: T): T {
    return this
  },
  once<T>(this: T): T {
    return this
  },
  pid: 1,
  platform: 'linux',
  removeAllListeners<T>(this: T): T {
    return this
  },
  removeListener<T>(this: T): T {
    return this
  },
  umask: () => 0o22,
  uptime: () => natives.now() / 1000,
  version: 'v16.20.2',
}

/** Returns the `process` of one invocation. */
export function createProcess(nextTick: (callback: Callback, ...values: unknown[]) => void): object {
  return {
    ...facts,
    argv: ['node', '/formula.js'],
    env: {},
    execArgv: [],
    nextTick,
    release: { name: 'node' },
    stderr: output(2, 'error'),
    stdout: output(1, 'log'),
    versions: { node: '16.20.2' },
  }
}

/** Objects that invocations share, and that are not reachable through other exports. */
export const sharedOfProcess = facts
