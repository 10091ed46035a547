import { createRequire } from 'node:module'
import type { Ajv, ErrorObject, Format } from 'ajv'
import { generatedFiles } from '../generated-files.ts'
import { requireCodeGeneration } from './code-generation.ts'
import { formats } from './formats.ts'

const require = createRequire(new URL('openapi-backend.cjs', generatedFiles))
export const libraries: typeof import('./libraries.ts') = require('./openapi-backend.cjs')

export type SchemaError = ErrorObject

/** A validator, compiled when it is first called. */
export interface Check {
  (value: unknown): boolean
  errors?: readonly SchemaError[] | null | undefined
}

/** Formats by name: ajv's own, and those of the contract. */
const formatTable: Readonly<Record<string, Format>> = {
  ...(libraries.fullFormats as Record<string, Format>),
  ...Object.fromEntries(
    Object.entries(formats).map(([name, { test }]) => [name, { type: 'string', validate: test }] as const),
  ),
}

interface AjvOptions {
  /** Collects every error, with the schema that is broken; otherwise the first one ends the check. */
  readonly thorough: boolean
  /** Adds the schema that is broken to an error, also to one alone. */
  readonly verbose?: boolean
  /** Formats beside those of the contract. */
  readonly formats?: Readonly<Record<string, Format>>
}

/** @throws {CodeGenerationForbidden} */
export function createAjv({ thorough, verbose = thorough, formats: more }: AjvOptions): Ajv {
  requireCodeGeneration()
  return new libraries.Ajv({
    strict: false,
    discriminator: true,
    allErrors: thorough,
    verbose,
    formats: { ...formatTable, ...more },
    // Each component is one function, instead of a copy at each place that refers to it.
    inlineRefs: false,
    // Takes a quarter of the time to compile, and makes no faster code.
    code: { optimize: false },
    // The linter checks the contract, and tests check schemas of ours.
    meta: false,
    validateSchema: false,
  })
}
