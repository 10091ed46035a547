import { createRequire } from 'node:module'
import type * as Liquid from 'liquidjs'

/**
 * The parts of liquidjs that parse templates. Loaded by `require`: an `import` of CommonJS first scans all of its
 * text for exports, which takes three times as long as loading it.
 */
export const { defaultOptions, LiquidError, Tokenizer, TypeGuards }: typeof Liquid = createRequire(
  import.meta.url,
)('liquidjs')
