import { createRequire } from 'node:module'
import type * as Liquid from 'liquidjs'

/**
 * The parts of liquidjs that parse templates. Loaded by `require`: an `import` of CommonJS first scans all of its
 * text for exports, which takes three times as long as loading it.
 */
const liquidjs: typeof Liquid = createRequire(import.meta.url)('liquidjs')
export const { defaultOptions, LiquidError, Tokenizer, TypeGuards } = liquidjs

/** The limits of liquidjs on what its filters copy. They are off: ours count the same before. */
const unlimited = { context: { memoryLimit: { use() {} } } }

/** Returns a filter of liquidjs itself: one that takes linear time, and whose results need none of our rules. */
export function standard<T extends string | number>(name: keyof typeof Liquid.filters) {
  const filter = liquidjs.filters[name] as unknown as (this: typeof unlimited, ...values: unknown[]) => T
  return (...values: T[]) => filter.apply(unlimited, values)
}
