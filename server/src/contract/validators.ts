import type { ErrorObject } from 'ajv'
import { ErrorList, type FieldErrors, moreErrors, ServiceError } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import { headerPrefix as contractHeaderPrefix } from '../generated/facts.ts'
import type { Backend } from './backend.ts'
import { backends, readOperations } from './backend.ts'
import { type Operation, readDocument } from './contract.ts'
import { excerptOf, namesIn } from './excerpt.ts'
import { listErrors } from './field-errors.ts'
import { hasOtherSpelling, Spellings, type Suspect } from './spellings.ts'

/** Checks values that no request carried whole against the contract's schemas: merged and tokenized data. */
export type ContractSchemas = Pick<Validators, 'check'>

export interface RequestParts {
  readonly path: Readonly<Record<string, string>>
  readonly query: JsonObject
  readonly idempotencyKey: string | undefined
  readonly requestBody?: JsonValue | undefined
}

/** What is wrong with a suspect member. */
export const wordsOf: Readonly<Record<Suspect['problem'], string>> = {
  ignored: 'ignored, as the contract does not name it',
  undescribed:
    'its object does not describe a token, which has type and data, so that its members become tokens',
  undeclared: 'removed, as the formula does not declare it',
}

/** @throws {ServiceError} validation, if there are any: a strict server refuses what others ignore */
export function refuseSuspects(suspects: readonly Suspect[]): void {
  const errors = new ErrorList()
  for (const { path, problem, text } of suspects)
    errors.add(path, `${wordsOf[problem]}${text.slice(path.length)}`)
  errors.refuseIfAny('a strict server refuses what others ignore')
}

/** The prefix of the headers in `openapi.yaml`, in lower case as validators expect it. A server may use another one. */
const contractPrefix = `${contractHeaderPrefix.toLowerCase()}-`
const idempotencyHeader = `${contractPrefix}idempotency-key`

/**
 * Validates requests, values and responses against the contract. A first validator stops at the first error. Values that
 * fail are shortened and pass through a second one, compiled on demand, that collects all errors.
 */
export class Validators {
  readonly operations = readOperations()
  /** In lower case, with the hyphen. */
  readonly #headerPrefix: string
  /** The names of all members in the contract. */
  #named: ReadonlySet<string> | undefined
  #spellings: Spellings | undefined

  constructor(headerPrefix: string) {
    this.#headerPrefix = `${headerPrefix.toLowerCase()}-`
  }

  /** @throws {ServiceError} validation, with what is wrong */
  checkRequest(operation: Operation, parts: RequestParts): void {
    const { path, query, idempotencyKey, requestBody } = parts
    const request = { path, query, header: { [idempotencyHeader]: idempotencyKey }, requestBody }
    const isDev = operation.id.startsWith('dev.')
    const backend = isDev ? backends.closed() : backends.requests()
    for (const validate of backend.ofRequest(operation.id)) {
      if (validate(request)) continue
      this.#refuse(operation, request, validate.errors ?? [], isDev ? backend : backends.refusals())
    }
  }

  #refuse(
    operation: Operation,
    request: Omit<RequestParts, 'idempotencyKey'>,
    first: readonly ErrorObject[],
    backend: Backend,
  ): never {
    const { requestBody } = request
    const { value, isCut } = this.#excerpt({ query: request.query, body: requestBody ?? null })
    const { query, body } = value as { query: JsonObject; body: JsonValue }
    const excerpt = { ...request, query, requestBody: requestBody === undefined ? undefined : body }
    const all = backend
      .ofRequest(operation.id)
      .flatMap(validate => (validate(excerpt) ? [] : (validate.errors ?? [])))
    const list = listErrors((all.length > 0 ? all : first).map(error => this.#asOnTheWire(error)))
    const detail = 'the request is not what the contract says'
    throw new ServiceError('validation', isCut || list.isFull ? detail + moreErrors : detail, {
      errors: list.toErrors(),
    })
  }

  /**
   * Refuses members of a body that the contract names in another spelling, such as `deduplicateToken`.
   * @throws {ServiceError} validation
   */
  // Requirements: INV-544
  refuseOtherSpellings(operation: Operation, body: JsonValue | undefined): void {
    if (body !== undefined && hasOtherSpelling(body)) this.#readSpellings().refuse(operation, body)
  }

  /** Describes what is likely to be a mistake in a body: members that are ignored, as the contract does not name them. */
  suspects(operation: Operation, body: JsonValue): Suspect[] {
    return this.#readSpellings().suspects(operation, body)
  }

  #readSpellings(): Spellings {
    this.#spellings ??= new Spellings(JSON.parse(readDocument(contractHeaderPrefix)))
    return this.#spellings
  }

  /** Returns what is wrong with the value, by path below `path`; empty if nothing is. */
  check(schema: string, value: JsonValue, path: string): FieldErrors {
    const validate = backends.requests().ofSchema(schema)
    if (!validate) throw new Error(`the contract has no schema ${schema}`)
    if (validate(value)) return {}
    const thorough = backends.refusals().ofSchema(schema)
    const isExplained = thorough?.(this.#excerpt(value).value) === false
    return listErrors((isExplained ? thorough.errors : validate.errors) ?? [], path).toErrors()
  }

  #excerpt(value: JsonValue) {
    this.#named ??= namesIn(JSON.parse(readDocument(contractHeaderPrefix)))
    return excerptOf(value, this.#named)
  }

  /**
   * Returns how a response breaks the contract, as a sentence for developers; `undefined` if it does not.
   * @param status `default` for a response that a formula chose, whatever its status
   */
  findResponseFault(
    operation: Operation,
    status: number | 'default',
    headers: Readonly<Record<string, string>>,
    body: JsonValue | undefined,
  ): string | undefined {
    const { id, statuses } = operation
    const documented = [String(status), 'default'].find(one => statuses.includes(one))
    if (documented === undefined) return `${id} answered ${status}, which the contract does not have`
    const validators = backends.closed().ofResponse(id, documented)
    const held = [
      [validators.body, body ?? null],
      [validators.headers, { headers: this.#asInContract(typedHeaders(headers)) }],
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

/** A header is always a text; the contract speaks of the number in it. */
function typedHeaders(headers: Readonly<Record<string, string>>): Record<string, string | number> {
  const seconds = headers['Retry-After']
  return seconds === undefined ? { ...headers } : { ...headers, 'Retry-After': Number(seconds) }
}
