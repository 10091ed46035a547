import { $, defineConfig } from '@hey-api/openapi-ts'
import { operationsPlugin } from './openapi-ts.operations.ts'

/**
 * Writes the client's types and table of operations, and the types of the server's handlers. Run from the root:
 * `openapi-ts -f sdk/openapi-ts.config.ts`. It empties each output folder first.
 */
const common = {
  input: { path: 'openapi.yaml' },
  parser: { patch: { schemas: { AccessRule: keepDescription } } },
  interactive: false,
  logs: { file: false, level: 'warn' },
} as const

/** Moves `oneOf` into an `allOf`: openapi-ts loses the description of a schema with `properties` and `oneOf`. */
function keepDescription(schema: { oneOf?: unknown; allOf?: unknown }): void {
  schema.allOf = [{ oneOf: schema.oneOf }]
  delete schema.oneOf
}

/** Writes a string whose pattern has a slash at both ends, as a container has, as a type that demands these. */
const slashes = {
  string: ({ schema: { pattern } }: { schema: { pattern?: string | undefined } }) =>
    pattern && /^\^\/\(.*\/\)[^)]*\$$/.test(pattern)
      ? $.type.or($.type.literal('/'), $.type.template('/').add($.type('string')).add('/'))
      : undefined,
}

export default defineConfig([
  {
    ...common,
    output: { path: 'sdk/src/generated', module: { extension: '.ts' } },
    plugins: [{ name: '@hey-api/typescript', '~resolvers': slashes }, operationsPlugin()],
  },
  {
    ...common,
    output: { path: 'server/src/generated/types', module: { extension: '.ts' } },
    plugins: ['@hey-api/typescript'],
  },
])
