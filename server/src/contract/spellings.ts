import { ErrorList } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import { memberPath } from '../base/json/member-path.ts'
import { didYouMean } from '../base/near-names.ts'
import { tokenTypes } from '../generated/facts.ts'
import type { Operation } from './contract.ts'
import { type ContractMember, ContractMembers, isDescription } from './members.ts'

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

/** A member of a request body that the contract does not name, and that is therefore ignored. */
interface UnnamedMember {
  readonly path: readonly Step[]
  readonly name: string
  /** The names that the contract has at this place. */
  readonly names: readonly string[]
  /** True for an object of a payload that may have been meant as a description of a token. */
  readonly isPayload?: boolean
}

/** What is likely to be a mistake in a request that the contract allows. */
export interface Suspect {
  /** The path of the member. */
  readonly path: string
  /** What is wrong with it: it is ignored, its object does not describe a token, or a formula does not declare it. */
  readonly problem: 'ignored' | 'undescribed' | 'undeclared'
  /** For the caller, such as `metadat; did you mean metadata?`. */
  readonly text: string
  /** For the log: a name that is not nearly one of the contract's may be data. */
  readonly logged: string
}

/** What has to be beside each other in a description of a token. */
const described = ['type', 'data']

/** At most so many suspect members of a body are named. */
const mostNamed = 10

/** Finds members of request bodies that the contract does not name. They would be ignored without a word. */
export class Spellings {
  readonly #places: ContractMembers

  constructor(document: JsonObject) {
    this.#places = new ContractMembers(document)
  }

  /** @throws {ServiceError} validation, with the right names */
  refuse(operation: Operation, body: JsonValue): void {
    const errors = new ErrorList()
    for (const { path, name, names } of this.#unnamed(operation, body)) {
      const right = names.find(one => plain(one) === plain(name))
      if (right !== undefined) errors.add(memberPath([...path, name].map(String)), `is spelled ${right}`)
    }
    errors.refuseIfAny('a member is spelled otherwise in the contract, and would be ignored')
  }

  /** Finds members that are ignored, and objects of payloads that are nearly descriptions of tokens. */
  suspects(operation: Operation, body: JsonValue): Suspect[] {
    const found = new Map<string, Suspect>()
    const ofMembers = [...this.#unnamed(operation, body)].filter(one => !this.#isSentBack(operation, one))
    const ofPayload = operation.id === 'tokenize' ? this.#undescribed(body, []) : []
    for (const { path, name, names, isPayload } of [...ofMembers, ...ofPayload]) {
      if (found.size === mostNamed) break
      const near = didYouMean(name, names)
      const text = memberPath([...path, name]) + near
      const logged = near === '' ? memberPath([...path, '?']) : text
      const problem = isPayload ? 'undescribed' : 'ignored'
      found.set(text, { path: memberPath([...path, name]), problem, text, logged })
    }
    return [...found.values()]
  }

  /**
   * True for a member that responses of the operation have at this place: whoever changes a resource as it was read, or names
   * one by all of it, means nothing else. In what is to be created it would be a mistake.
   */
  #isSentBack(operation: Operation, { path, name }: UnnamedMember): boolean {
    if (operation.method === 'POST' && path.length === 0) return false
    return [200, 201].some(status => {
      let place: ContractMember | undefined = this.#places.ofResponse(operation, status)
      for (const step of path) place = typeof step === 'number' ? place?.items : place?.members.get(step)
      return place?.members.has(name)
    })
  }

  /** Finds objects that have the type of a token and no data, or data and nearly a type: their members become tokens. */
  *#undescribed(value: JsonValue, path: readonly Step[]): Generator<UnnamedMember> {
    if (typeof value !== 'object' || value === null || path.length > deepest) return
    if (!Array.isArray(value)) {
      if (isDescription(value)) return
      const given = Object.keys(value)
      const names = described.filter(name => !given.includes(name))
      const near = given.find(name => !described.includes(name) && didYouMean(name, names) !== '')
      const hasType = typeof value.type === 'string' && Object.hasOwn(tokenTypes, value.type)
      if (hasType || (names.length < 2 && near !== undefined))
        yield { path, name: near ?? 'type', names, isPayload: true }
    }
    for (const [name, member] of Object.entries(value)) yield* this.#undescribed(member, [...path, name])
  }

  #unnamed(operation: Operation, body: JsonValue): Iterable<UnnamedMember> {
    if (operation.id === 'tokenize') return this.#inPayload(body, [])
    return this.#inValue(this.#places.ofRequest(operation), body, [])
  }

  /** Anything in a payload that looks like a description of a token is one. */
  *#inPayload(value: JsonValue, path: readonly Step[]): Generator<UnnamedMember> {
    if (typeof value !== 'object' || value === null || path.length > deepest) return
    if (isDescription(value)) {
      yield* this.#inValue(this.#places.ofSchema('CreateTokenRequest'), value, path)
      return
    }
    for (const [name, member] of Object.entries(value)) yield* this.#inPayload(member, [...path, name])
  }

  *#inValue(place: ContractMember, value: JsonValue, path: readonly Step[]): Generator<UnnamedMember> {
    if (typeof value !== 'object' || value === null || path.length > deepest) return
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) yield* this.#inValue(place.items, item, [...path, index])
      return
    }
    if (place.takesAnyMember) return
    const names = [...place.members.keys()]
    // A reference, for which a whole resource may be given.
    if (names.length === 1 && names[0] === 'id' && Object.hasOwn(value, 'id')) return
    for (const [name, member] of Object.entries(value)) {
      const known = place.members.get(name)
      if (known) yield* this.#inValue(known, member, [...path, name])
      else yield { path, name, names }
    }
  }
}
