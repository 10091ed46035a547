import type { ErrorObject, ValidateFunction } from 'ajv'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { ServiceError } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json.ts'
import { compile as compileRequests } from '../generated/validators/requests.js'
import { compile as compileSchemas } from '../generated/validators/schemas.js'
import type { ContractSchemas } from '../tokens/context.ts'
import { type Operation, readOperations } from './contract.ts'
import { toFieldErrors } from './field-errors.ts'
import { formats } from './formats.ts'

export interface RequestParts {
  readonly path: Readonly<Record<string, string>>
  readonly query: JsonObject
  readonly idempotencyKey: string | undefined
  readonly requestBody?: JsonValue | undefined
}

type Validate = Readonly<Record<string, ValidateFunction>>

/** What validators find formats in: a pattern, or what to ask. ajv's own are those that the contract names. */
const formatTable = {
  ...fullFormats,
  ...Object.fromEntries(Object.entries(formats).map(([name, { test }]) => [name, { validate: test }])),
}

/** Of the headers in `openapi.yaml`, whatever a server calls its own. In lower case, as validators have them. */
const contractPrefix = 'svc-'
const idempotencyName = 'idempotency-key'

/** Functions of the process: made from the contract by `npm run generate`, the same for every vault. */
const requests = compileRequests(formatTable)
const schemas = compileSchemas(formatTable)

/**
 * Holds requests, values and responses against the contract. A request is checked by validators that stop at the
 * first error; only one that fails goes through those that collect them all, which are loaded when they are needed.
 */
export class Validators implements ContractSchemas {
  readonly operations = readOperations()
  /** In lower case, with the hyphen. */
  readonly #headerPrefix: string
  #refusals: Promise<Validate> | undefined
  #responses: Promise<Validate> | undefined

  constructor(headerPrefix: string) {
    this.#headerPrefix = `${headerPrefix.toLowerCase()}-`
  }

  /** Rejects with every member that is wrong; nothing to wait for where none is. @throws {ServiceError} */
  checkRequest(operation: Operation, parts: RequestParts): undefined | Promise<never> {
    const { idempotencyKey, ...others } = parts
    const request = { ...others, header: { [contractPrefix + idempotencyName]: idempotencyKey } }
    return validatorsOf(requests, operation).every(validate => validate(request))
      ? undefined
      : this.#refuse(operation, request)
  }

  async #refuse(operation: Operation, request: object): Promise<never> {
    this.#refusals ??= import('../generated/validators/refusals.js').then(made => made.compile(formatTable))
    const validators = validatorsOf(await this.#refusals, operation)
    const errors = validators.flatMap(validate => (validate(request) ? [] : (validate.errors ?? [])))
    throw new ServiceError('validation', 'the request is not what the contract says', {
      errors: toFieldErrors(withoutEchoes(errors.map(error => this.#asOnTheWire(error)))),
    })
  }

  check(schema: string, value: JsonValue, path: string) {
    const validate = schemas[schema]
    if (!validate) throw new Error(`the contract has no schema ${schema}`)
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
    const { id, statuses } = operation
    const documented = [String(status), 'default'].find(one => statuses.includes(one))
    if (documented === undefined) return `${id} answered ${status}, which the contract does not have`
    this.#responses ??= import('../generated/validators/responses.js').then(made => made.compile(formatTable))
    const validators = await this.#responses
    const held = [
      [validators[`${id} ${documented} body`], body ?? null],
      [validators[`${id} ${documented} headers`], { headers: this.#asInContract(typedHeaders(headers)) }],
    ] as const
    const faults = held.flatMap(([validate, value]) =>
      !validate || validate(value) ? [] : (validate.errors ?? []),
    )
    if (faults.length === 0) return undefined
    const places = faults.map(fault => `${fault.instancePath || '/'} ${fault.message} (${fault.schemaPath})`)
    return `${id} ${status}: ${places.join('; ')}`
  }

  /** The headers under the names that the contract has for them. */
  #asInContract(headers: Readonly<Record<string, string | number>>) {
    const named = Object.entries(headers).map(([given, value]) => {
      const name = given.toLowerCase()
      const isOurs = name.startsWith(this.#headerPrefix)
      return [isOurs ? contractPrefix + name.slice(this.#headerPrefix.length) : name, value]
    })
    return Object.fromEntries(named)
  }

  #asOnTheWire(error: ErrorObject): ErrorObject {
    if (!error.instancePath.startsWith('/header/')) return error
    return { ...error, instancePath: error.instancePath.replace(contractPrefix, this.#headerPrefix) }
  }
}

/** One for the body, where the operation takes one, and one for the parameters. */
function validatorsOf(validators: Validate, { id }: Operation): ValidateFunction[] {
  return [validators[`${id} 0`], validators[`${id} 1`]].filter(one => one !== undefined)
}

/** A header is always a text; the contract speaks of the number in it. */
function typedHeaders(headers: Readonly<Record<string, string>>): Record<string, string | number> {
  const seconds = headers['Retry-After']
  return seconds === undefined ? { ...headers } : { ...headers, 'Retry-After': Number(seconds) }
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
