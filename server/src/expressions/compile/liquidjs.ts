import { createRequire } from 'node:module'
import type * as Liquid from 'liquidjs'

/**
 * The parts of the library that read templates. By `require`: an import of CommonJS looks through all of it for
 * names first, which takes three times as long as to load it.
 */
export const { defaultOptions, LiquidError, Tokenizer, TypeGuards }: typeof Liquid = createRequire(
  import.meta.url,
)('liquidjs')
