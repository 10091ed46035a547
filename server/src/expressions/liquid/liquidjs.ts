import { createRequire } from 'node:module'
import type * as Liquidjs from 'liquidjs'

/** Loaded by `require`: an `import` of CommonJS first scans all of its text for exports, which takes three times as long. */
const liquidjs: typeof Liquidjs = createRequire(import.meta.url)('liquidjs')
export const { Context, Drop, Expression, Liquid, LiquidError, Output, Parser, ParseStream, Tag, Token } =
  liquidjs
export const { CaptureTag, CaseTag, ForTag, IfTag, UnlessTag, evalToken, filters, tags } = liquidjs
export const { TokenKind, Tokenizer, toValueSync, TypeGuards, Value } = liquidjs
