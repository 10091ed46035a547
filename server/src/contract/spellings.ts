import { ErrorList } from '../base/error-list.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts'
import { memberPath } from '../base/json/member-path.ts'
import type { Operation } from './contract.ts'

const deepest = 8
/** All members of the contract are in lower case with underscores. */
const otherSpelling = /[A-Z-]/

/** True if a member of the value, not too deep inside, could be another spelling of one in the contract. */
export function hasOtherSpelling(value: JsonValue, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > deepest) return false
  if (Array.isArray(value)) return value.some(item => hasOtherSpelling(item, depth + 1))
  return Object.entries(value).some(
    ([name, member]) => otherSpelling.test(name) || hasOtherSpelling(member, depth + 1),
  )
}

const plain = (name: string) => name.replace(/[_-]/g, '').toLowerCase()

type Step = string | number

/** Finds members of request bodies that the contract has in another spelling. They would be ignored without a word. */
export class Spellings {
  readonly #document: JsonObject

  constructor(document: JsonObject) {
    this.#document = document
  }

  /** @throws {ServiceError} validation, with the right names */
  refuse({ id, path, method, bodyType = '' }: Operation, body: JsonValue): void {
    const errors = new ErrorList()
    if (id === 'tokenize') this.#checkPayload(body, [], errors)
    else {
      const schema = this.#at(
        'paths',
        path,
        method.toLowerCase(),
        'requestBody',
        'content',
        bodyType,
        'schema',
      )
      this.#check(schema, body, [], errors)
    }
    errors.refuseIfAny('a member is spelled otherwise in the contract, and would be ignored')
  }

  /** Anything in a payload that looks like a description of a token is one. */
  #checkPayload(value: JsonValue, path: readonly Step[], errors: ErrorList): void {
    if (typeof value !== 'object' || value === null || path.length > deepest) return
    if (!Array.isArray(value) && Object.hasOwn(value, 'type') && Object.hasOwn(value, 'data')) {
      this.#check(this.#at('components', 'schemas', 'CreateTokenRequest'), value, path, errors)
      return
    }
    for (const [name, member] of Object.entries(value)) this.#checkPayload(member, [...path, name], errors)
  }

  #check(schema: JsonValue | undefined, value: JsonValue, path: readonly Step[], errors: ErrorList): void {
    if (typeof value !== 'object' || value === null || path.length > deepest) return
    const parts = this.#parts(schema)
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        for (const { items } of parts)
          if (items !== undefined) this.#check(items, item, [...path, index], errors)
      }
      return
    }
    const named = new Map(
      parts.flatMap(({ properties }) => (isJsonObject(properties) ? Object.entries(properties) : [])),
    )
    for (const [name, member] of Object.entries(value)) {
      const known = named.get(name)
      if (known !== undefined) this.#check(known, member, [...path, name], errors)
      else {
        const right = [...named.keys()].find(one => plain(one) === plain(name))
        if (right !== undefined) errors.add(memberPath([...path, name].map(String)), `is spelled ${right}`)
      }
    }
  }

  /** Returns a schema and all that it is combined of. */
  #parts(schema: JsonValue | undefined): JsonObject[] {
    if (!isJsonObject(schema)) return []
    if (typeof schema.$ref === 'string') return this.#parts(this.#at(...schema.$ref.split('/').slice(1)))
    const combined = [schema.allOf, schema.anyOf, schema.oneOf].flatMap(list =>
      Array.isArray(list) ? list : [],
    )
    return [schema, ...combined.flatMap(one => this.#parts(one))]
  }

  #at(...steps: string[]): JsonValue | undefined {
    return steps.reduce<JsonValue | undefined>(
      (value, step) => (isJsonObject(value) ? value[step] : undefined),
      this.#document,
    )
  }
}
