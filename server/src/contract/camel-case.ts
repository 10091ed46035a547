import { ErrorList } from '../base/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, mapMembers } from '../base/json/json.ts'
import { memberPath } from '../base/json/member-path.ts'
import type { Operation } from './contract.ts'
import { type ContractMember, ContractMembers, camelCase, isDescription } from './members.ts'

/** What a request has turned out to be while it was read. */
class Reading {
  /** True if a member came in camelCase. */
  isCamelCase = false
  readonly errors = new ErrorList()
  readonly #path: (string | number)[] = []

  /** Reads a member. */
  within(step: string | number, read: () => JsonValue): JsonValue {
    this.#path.push(step)
    const value = read()
    this.#path.pop()
    return value
  }

  pathOf(name: string): string {
    return memberPath([...this.#path, name])
  }
}

/**
 * Respells the members that the contract names, and no other: not those of data, metadata, arguments and whatever else
 * belongs to callers. The names are read from the contract.
 */
export class CamelCase {
  readonly #places: ContractMembers

  /** @param document the contract */
  constructor(document: JsonObject) {
    this.#places = new ContractMembers(document)
  }

  /** Returns the body of a request with its members as in the contract. Members in both spellings are errors. */
  readBody(operation: Operation, body: JsonValue): Reading & { readonly body: JsonValue } {
    const reading = new Reading()
    const read =
      operation.id === 'tokenize'
        ? this.#readPayload(body, reading)
        : this.#read(this.#places.ofRequest(operation), body, reading)
    return Object.assign(reading, { body: read })
  }

  /** Returns the body of a successful response in camelCase. */
  writeBody(operation: Operation, status: number, body: JsonValue): JsonValue {
    return write(this.#places.ofResponse(operation, status), body)
  }

  /** Returns a token in camelCase. */
  writeToken(token: JsonValue): JsonValue {
    return write(this.#places.ofSchema('Token'), token)
  }

  /**
   * Returns a problem document in camelCase, with the names of members in its `errors`.
   * @param request the body of the request as in the contract
   */
  writeProblem(operation: Operation, problem: JsonValue, request: JsonValue = null): JsonValue {
    const written = write(this.#places.ofSchema('Problem'), problem)
    if (!isJsonObject(written) || !isJsonObject(written.errors ?? null)) return written
    const errors = Object.entries(written.errors as JsonObject).map(([path, messages]) => {
      const isParameter = operation.queryParameters.some(({ name }) => name === path)
      return [isParameter ? camelCase(path) : this.#writePath(operation, path, request), messages]
    })
    return { ...written, errors: Object.fromEntries(errors) }
  }

  #readPayload(value: JsonValue, reading: Reading): JsonValue {
    if (typeof value !== 'object' || value === null) return value
    if (isDescription(value)) return this.#read(this.#places.ofSchema('CreateTokenRequest'), value, reading)
    return mapMembers(value, (member, name) => reading.within(name, () => this.#readPayload(member, reading)))
  }

  #read(place: ContractMember, value: JsonValue, reading: Reading): JsonValue {
    if (typeof value !== 'object' || value === null || place.takesAnyMember) return value
    if (Array.isArray(value)) {
      return mapMembers(value, (item, at) => reading.within(at, () => this.#read(place.items, item, reading)))
    }
    const read = (member: JsonValue, name: string | number) => {
      const known = place.members.get(`${name}`)
      return known ? reading.within(name, () => this.#read(known, member, reading)) : member
    }
    return mapMembers(renamed(place, value, reading), read)
  }

  /** Respells a dotted path up to where the caller's own names begin. */
  #writePath(operation: Operation, path: string, request: JsonValue): string {
    const steps = path.split('.')
    let at = 0
    let place = this.#places.ofRequest(operation)
    if (operation.id === 'tokenize') {
      // What a step leads to is a description or structure, which only the request itself shows.
      let value: JsonValue | undefined = request
      while (at < steps.length && typeof value === 'object' && value !== null) {
        if (!Array.isArray(value) && isDescription(value)) break
        value = (value as unknown as JsonObject)[steps[at++] as string]
      }
      place = this.#places.ofSchema('CreateTokenRequest')
    }
    for (; at < steps.length; at++) {
      const step = steps[at] as string
      const member = place.members.get(step)
      if (!member && !/^\d+$/.test(step)) break
      if (member) steps[at] = camelCase(step)
      place = member ?? place.items
    }
    return steps.join('.')
  }
}

/** Returns an object with its members under the names of the contract. */
function renamed(place: ContractMember, value: JsonObject, reading: Reading): JsonObject {
  const names = Object.keys(value)
  if (!names.some(name => place.inCamelCase.has(name))) return value
  reading.isCamelCase = true
  const members = names.map(name => {
    const right = place.inCamelCase.get(name) ?? name
    if (right !== name && Object.hasOwn(value, right)) {
      reading.errors.add(reading.pathOf(name), `is given as ${right}, too; give one of the two`)
    }
    return [right, value[name]]
  })
  return Object.fromEntries(members)
}

function write(place: ContractMember, value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(item => write(place.items, item))
  if (!isJsonObject(value) || place.members.size === 0) return value
  const written = Object.entries(value).map(([name, member]) => {
    const known = place.members.get(name)
    return known ? [camelCase(name), write(known, member)] : [name, member]
  })
  return Object.fromEntries(written)
}
