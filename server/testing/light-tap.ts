import { createRequire } from 'node:module'
import type tap from 'tap'

/**
 * tap, without the hooks by which it knows to which test an uncaught error belongs: they make every promise several
 * times slower. Tests of a process run one after the other, so here such an error belongs to the one that is running.
 * Compiled tests import this for tap.
 */
const require = createRequire(import.meta.url)

type Base = typeof tap
interface Running {
  readonly hookDomain: { onerror(error: unknown, origin: string): void }
  on(event: 'subtestStart' | 'subtestEnd', listener: (test: Running) => void): void
}

/** Has the interface of the package that sets these hooks. */
class Domain {
  readonly onerror: (error: unknown, origin: string) => void
  constructor(onerror: (error: unknown, origin: string) => void) {
    this.onerror = onerror
  }
  destroy(): void {}
}

// Loaded in its place, as tap is loaded only after this.
const core = createRequire(createRequire(require.resolve('tap')).resolve('@tapjs/core'))
const hooks = core.resolve('async-hook-domain')
core.cache[hooks] = { id: hooks, filename: hooks, loaded: true, exports: { Domain } } as NodeJS.Module

const root: Base = require('tap').default
const running: Running[] = []

function follow(test: Running): void {
  test.on('subtestStart', one => {
    running.push(one)
    follow(one)
  })
  test.on('subtestEnd', one => {
    running.splice(running.lastIndexOf(one), 1)
  })
}
running.push(root as unknown as Running)
follow(root as unknown as Running)

// With a listener the process goes on, so that the other tests run.
const listener = (error: unknown, origin: string) => {
  // A test may expect the error itself, with a listener of its own, which is added after this one.
  if (process.listeners('uncaughtException').at(-1) === listener)
    running.at(-1)?.hookDomain.onerror(error, origin)
}
process.on('uncaughtException', listener)

export default root
