import { readFileSync } from 'node:fs'
import { $, defineConfig } from '@hey-api/openapi-ts'
import { parse } from 'yaml'
import { developmentOnly, withoutDevelopment } from '../server/scripts/generate/dev-profile.ts'
import type { Contract } from './scripts/generate/contract.ts'
import { operationsPlugin } from './scripts/generate/operations.ts'

/**
 * Writes the client's types, table of operations and classes, the former two for the client of development servers, and the types of
 * the server's handlers. Run from the root: `openapi-ts -f sdk/openapi-ts.config.ts`. It empties each output folder
 * first.
 */
const common = {
  parser: { patch: { schemas: { AccessRule: keepDescription } } },
  interactive: false,
  logs: { file: false, level: 'warn' },
} as const

/** Returns the contract, another copy for each output, since openapi-ts changes it. */
const contract = () => parse(readFileSync('openapi.yaml', 'utf8'))

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

const classesOf = withoutDevelopment(contract()) as unknown as Contract

export default defineConfig([
  {
    ...common,
    input: withoutDevelopment(contract()),
    output: { path: 'sdk/src/generated', module: { extension: '.ts' } },
    plugins: [{ name: '@hey-api/typescript', '~resolvers': slashes }, operationsPlugin({ classesOf })],
  },
  {
    ...common,
    input: developmentOnly(contract()),
    parser: {},
    output: { path: 'sdk/src/dev/client/generated', module: { extension: '.ts' } },
    plugins: ['@hey-api/typescript', operationsPlugin({ idsOf: contract() })],
  },
  {
    ...common,
    input: withoutDevelopment(contract()),
    output: { path: 'server/src/generated/types', module: { extension: '.ts' } },
    plugins: ['@hey-api/typescript'],
  },
])
