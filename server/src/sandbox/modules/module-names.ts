/** The name under which a runner gets the operator's adapter for the client. No package has it. */
export const clientModule = '@surrogate/formula-client'

/** Modules of Node that need only the globals of formulas, and are evaluated anew for each invocation; see `child/node/`. */
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

/** Modules of Node that need a system: imitations, or functions that throw when they are called; see `child/imitations/`. */
export const imitatedModules = [
  'assert',
  'assert/strict',
  'async_hooks',
  'child_process',
  'console',
  'constants',
  'dgram',
  'diagnostics_channel',
  'dns',
  'dns/promises',
  'domain',
  'fs',
  'fs/promises',
  'http',
  'http2',
  'https',
  'module',
  'net',
  'os',
  'path',
  'path/posix',
  'perf_hooks',
  'process',
  'punycode',
  'readline',
  'timers',
  'timers/promises',
  'tls',
  'tty',
  'url',
  'vm',
  'worker_threads',
  'zlib',
] as const

/** All modules that every formula may require, those of Node also as `node:…`. */
export const formulaModules: readonly string[] = [
  '@surrogate/formula-errors',
  'buffer',
  'crypto',
  ...nodeModules,
  ...imitatedModules,
]
