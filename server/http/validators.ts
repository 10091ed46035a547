import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { ServiceError } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json.ts'
import type { ContractSchemas } from '../tokens/context.ts'
import { type Contract, loadContract, type Operation } from './contract.ts'
import { toFieldErrors } from './field-errors.ts'
import { formats } from './formats.ts'

export interface RequestParts {
  readonly path: Readonly<Record<string, string>>
  readonly query: JsonObject
  readonly header: Readonly<Record<string, string | undefined>>
  readonly requestBody?: JsonValue | undefined
}

/**
 * The contract's validators. Each is compiled when it is first needed: compiling all takes longer than
 * everything else at start. A request is checked by validators that stop at the first error; only one that
 * fails goes through those that collect them all.
 */
export class Validators implements ContractSchemas {
  readonly contract: Contract
  readonly #headerPrefix: string
  readonly #compiler = compiler(true)
  readonly #schemas = new Map<string, ValidateFunction>()
  /** For requests that are refused: every error, not the first alone. */
  #thorough: Promise<Contract> | undefined
  /** For our own responses: members that the contract does not name are errors, too. */
  #responses: Promise<Contract> | undefined

  private constructor(contract: Contract, headerPrefix: string) {
    this.contract = contract
    this.#headerPrefix = headerPrefix
  }

  static async load(headerPrefix: string): Promise<Validators> {
    return new Validators(
      await loadContract({ headerPrefix, customizeAjv: () => compiler(false) }),
      headerPrefix,
    )
  }

  /** Rejects with every member that is wrong; nothing to wait for where none is. @throws {ServiceError} */
  checkRequest(operation: Operation, parts: RequestParts): undefined | Promise<never> {
    return passes(this.contract, operation, parts) ? undefined : this.#refuse(operation, parts)
  }

  async #refuse(operation: Operation, parts: RequestParts): Promise<never> {
    this.#thorough ??= this.#load(() => compiler(true))
    const errors = collect(await this.#thorough, operation, parts)
    throw new ServiceError('validation', 'the request is not what the contract says', {
      errors: toFieldErrors(withoutEchoes(errors)),
    })
  }

  check(schema: string, value: JsonValue, path: string) {
    const known = this.#schemas.get(schema)
    const validate = known ?? this.#compiler.compile(this.#schema(schema))
    this.#schemas.set(schema, validate)
    return validate(value) ? {} : toFieldErrors(withoutEchoes(validate.errors ?? []), path)
  }

  /**
   * What is wrong with a response, in a sentence for us; `undefined` when it is what the contract says.
   * @param status `default` for a response that a formula chose, whatever its status
   */
  async findResponseFault(
    operation: Operation,
    status: number | 'default',
    headers: Readonly<Record<string, string>>,
    body: JsonValue | undefined,
  ): Promise<string | undefined> {
    this.#responses ??= this.#load(() => compiler(true), true)
    const { api } = await this.#responses
    const documented = operation.statuses.has(String(status)) || operation.statuses.has('default')
    if (!documented) return `${operation.id} answered ${status}, which the contract does not have`
    // The validators are found by this name; their type knows numbers only.
    const statusCode = status as number
    const outcomes = [
      api.validateResponse(body ?? null, operation.id, statusCode),
      api.validateResponseHeaders(typedHeaders(headers), operation.id, { statusCode }),
    ]
    const faults = outcomes.flatMap(outcome => outcome.errors ?? [])
    if (faults.length === 0) return undefined
    const places = faults.map(fault => `${fault.instancePath || '/'} ${fault.message} (${fault.schemaPath})`)
    return `${operation.id} ${status}: ${places.join('; ')}`
  }

  #load(customizeAjv: () => Ajv, closed = false): Promise<Contract> {
    return loadContract({ headerPrefix: this.#headerPrefix, customizeAjv, closed })
  }

  #schema(name: string): JsonObject {
    const components = this.contract.definition.components as JsonObject
    const schema = (components.schemas as JsonObject)[name]
    if (schema === undefined) throw new Error(`the contract has no schema ${name}`)
    return schema as JsonObject
  }
}

/** A header is always a text; the contract speaks of the number in it. */
function typedHeaders(headers: Readonly<Record<string, string>>): Record<string, string | number> {
  const seconds = headers['Retry-After']
  return seconds === undefined ? { ...headers } : { ...headers, 'Retry-After': Number(seconds) }
}

function compiler(thorough: boolean): Ajv {
  const ajv = new Ajv({ strict: false, discriminator: true, allErrors: thorough, verbose: thorough })
  // Both packages name their types for CommonJS, where a default import is the module itself.
  ;(addFormats as unknown as (ajv: Ajv) => void)(ajv)
  for (const [name, { test }] of Object.entries(formats))
    ajv.addFormat(name, { type: 'string', validate: test })
  return ajv
}

function validatorsOf(contract: Contract, operation: Operation): ValidateFunction[] {
  return (contract.api.validator.getRequestValidatorsForOperation(operation.id) ?? []) as ValidateFunction[]
}

function passes(contract: Contract, operation: Operation, parts: RequestParts): boolean {
  return validatorsOf(contract, operation).every(validate => validate(parts))
}

function collect(contract: Contract, operation: Operation, parts: RequestParts): ErrorObject[] {
  return validatorsOf(contract, operation).flatMap(validate =>
    validate(parts) ? [] : (validate.errors ?? []),
  )
}

/**
 * A combination that fails reports itself and each of its branches. The branches of a rule that explains
 * itself would only repeat it in riddles; but where it is plain which of them was meant, what is wrong with
 * that one says more than the rule.
 */
function withoutEchoes(errors: readonly ErrorObject[]): ErrorObject[] {
  const explained = errors.filter(error => error.parentSchema?.['x-violation'] !== undefined)
  const dropped = new Set(explained.flatMap(rule => echoesOf(rule, errors)))
  return errors.filter(error => !dropped.has(error) && !(error.keyword === 'if' || error.keyword === 'allOf'))
}

function echoesOf(rule: ErrorObject, errors: readonly ErrorObject[]): ErrorObject[] {
  const branches = new Map<string, ErrorObject[]>()
  for (const error of errors) {
    if (error === rule || !isBranch(error, rule)) continue
    const [name = ''] = error.schemaPath.slice(rule.schemaPath.length + 1).split('/')
    branches.set(name, [...(branches.get(name) ?? []), error])
  }
  const all = [...branches.values()]
  const meant = all.filter(branch => !branch.some(error => isOfAnotherShape(error, rule)))
  if (meant.length !== 1) return all.flat()
  return [rule, ...all.filter(branch => branch !== meant[0]).flat()]
}

/** Whether the branch was not what the caller meant: they left out its member, or gave one it excludes. */
function isOfAnotherShape(error: ErrorObject, rule: ErrorObject): boolean {
  if (error.keyword === 'required') return error.instancePath === rule.instancePath
  return error.keyword === 'type' && error.params.type === 'null'
}

function isBranch(error: ErrorObject, combination: ErrorObject): boolean {
  return (
    error.instancePath.startsWith(combination.instancePath) &&
    error.schemaPath.startsWith(`${combination.schemaPath}/`)
  )
}
