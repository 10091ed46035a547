/** The name under which a runner gets the operator's adapter for the client. No package has it. */
export const clientModule = '@surrogate/formula-client'

/** Modules of Node that are evaluated anew for each invocation; see `child/node/`. */
export const nodeModules = [
  'events',
  'node-fetch',
  'querystring',
  'stream',
  'stream/promises',
  'string_decoder',
  'util',
  'util/types',
] as const

/** All modules that every formula may require, those of Node also as `node:…`. */
export const formulaModules: readonly string[] = [
  '@surrogate/formula-errors',
  'buffer',
  'crypto',
  'url',
  ...nodeModules,
]
