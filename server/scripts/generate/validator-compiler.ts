import { _, Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { formats } from '../../src/contract/formats.ts'

interface CompilerOptions {
  /** Collects every error; otherwise the first one ends the check. */
  readonly thorough: boolean
  /** Puts the schema that is broken into each error; by default where all are collected. */
  readonly verbose?: boolean
}

/** ajv as the server's validators are made with it. The functions expect the formats in a variable of that name. */
export function validatorCompiler({ thorough, verbose = thorough }: CompilerOptions): Ajv {
  const ajv = new Ajv({
    strict: false,
    discriminator: true,
    allErrors: thorough,
    verbose,
    code: { source: true, formats: _`formats` },
  })
  // Both packages name their types for CommonJS, where a default import is the module itself.
  ;(addFormats as unknown as (ajv: Ajv) => void)(ajv)
  for (const [name, { test }] of Object.entries(formats))
    ajv.addFormat(name, { type: 'string', validate: test })
  return ajv
}
