import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { type AjvCustomizer, OpenAPIRouter, OpenAPIValidator } from 'openapi-backend'
import type { SourceMutant } from './instrument.ts'
import { instrumentValidators } from './instrument-validators.ts'

/** A schema of the contract whose validator has mutants. */
export interface MutatedSchema {
  readonly name: string
  /** The number of its first mutant. */
  readonly first: number
}

export interface ValidatorMutants {
  readonly mutants: readonly SourceMutant[]
  /** By the text of the schema, as ajv compiles it. */
  readonly schemas: Readonly<Record<string, MutatedSchema>>
}

/**
 * Finds the mutants of the validators that decide on a request or a value. Those that explain refusals, and those of
 * responses, have none. Names are those of components, or `requests/` and the id of an operation.
 * @param file the document that requests are validated by
 */
export function validatorMutants(file: URL): ValidatorMutants {
  const document = readFileSync(file, 'utf8')
  const definition = JSON.parse(document)
  const names = new Map<string, string>()
  const mutants: SourceMutant[] = []
  const schemas: Record<string, MutatedSchema> = {}
  const ajv = new Ajv({
    strict: false,
    discriminator: true,
    inlineRefs: false,
    meta: false,
    validateSchema: false,
    code: {
      optimize: false,
      process: (code, env) => {
        const text = JSON.stringify(env?.schema)
        const name = names.get(text)
        if (name === undefined || text in schemas) return code
        schemas[text] = { name, first: mutants.length }
        mutants.push(...instrumentValidators(name, code, 0).mutants)
        return code
      },
    },
  })
  for (const [, name = ''] of document.matchAll(/"format":"([^"]+)"/g)) ajv.addFormat(name, () => true)
  for (const [name, schema] of Object.entries<object>(definition.components.schemas)) {
    names.set(JSON.stringify(schema), name)
    ajv.addSchema(schema, name)
  }
  const router = new OpenAPIRouter({ definition })
  let operation = ''
  const compile = (schema: object) => {
    const text = JSON.stringify(schema)
    if (!names.has(text)) names.set(text, `requests/${operation}`)
    return ajv.compile(schema)
  }
  const customizeAjv = (() => ({ compile })) as unknown as AjvCustomizer
  const validator = new OpenAPIValidator({ definition, router, lazyCompileValidators: true, customizeAjv })
  for (const { operationId = '' } of router.getOperations()) {
    operation = operationId
    validator.getRequestValidatorsForOperation(operationId)
  }
  return { mutants, schemas }
}

/** The module that the server loads in place of openapi-backend's bundle: its validators of requests have the mutants. */
export const mutatedBackend = (schemas: ValidatorMutants['schemas']) => `
const { Ajv, ...others } = require('./openapi-backend.original.cjs')
const schemas = ${JSON.stringify(schemas)}
class MutatedAjv extends Ajv {
  constructor(options) {
    const process = (code, env) => globalThis.__instrument(schemas[JSON.stringify(env.schema)], code)
    super(options.allErrors ? options : { ...options, code: { ...options.code, process } })
  }
}
module.exports = { ...others, Ajv: MutatedAjv }
`
