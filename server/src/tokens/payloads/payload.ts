import { invalid } from '../../base/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts'
import { memberPath } from '../../base/member-path.ts'
import type { CreateTokenRequest } from '../../contract/types.ts'
import { limits } from '../../generated/facts.ts'

/** A token that a payload asks for. */
export interface RequestedToken {
  /** Of the request for it in the payload, for messages. */
  readonly path: string
  /** A description has not been checked against the contract yet. */
  readonly input: CreateTokenRequest
  /** True for a bare value, which is replaced by an id. A description is replaced by a token object. */
  readonly bare: boolean
}

export interface Payload {
  /** The structure of the payload, with each token replaced by its position in `requested`. Holds no other values. */
  readonly shape: JsonValue
  readonly requested: readonly RequestedToken[]
}

/**
 * Finds the tokens that a payload asks for: an object with `type` and `data` describes one, any other value
 * except an object, an array or null is one. Null stays null.
 * @throws {ServiceError} validation, if there are too many
 */
export function readPayload(payload: JsonValue): Payload {
  const requested: RequestedToken[] = []
  const steps: (string | number)[] = []
  const below = (step: string | number, value: JsonValue): JsonValue => {
    steps.push(step)
    const shape = read(value)
    steps.pop()
    return shape
  }
  const request = (input: CreateTokenRequest, bare: boolean): number => {
    if (requested.length === limits.payloadTokens)
      throw invalid('body', `asks for more than ${limits.payloadTokens} tokens`)
    return requested.push({ path: memberPath(steps), input, bare }) - 1
  }
  const read = (value: JsonValue): JsonValue => {
    if (value === null) return null
    if (Array.isArray(value)) return value.map((element, index) => below(index, element))
    if (!isJsonObject(value)) return request({ type: 'token', data: value }, true)
    if (isDescription(value)) return request(value as unknown as CreateTokenRequest, false)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, below(name, member)]))
  }
  return { shape: read(payload), requested }
}

/** Returns the payload with each requested token replaced by its outcome. */
// Requirements: TKZ-501
export function fillShape(shape: JsonValue, outcomes: readonly JsonValue[]): JsonValue {
  if (typeof shape === 'number') return outcomes[shape] ?? null
  if (Array.isArray(shape)) return shape.map(element => fillShape(element, outcomes))
  if (!isJsonObject(shape)) return shape
  return Object.fromEntries(
    Object.entries(shape).map(([name, member]) => [name, fillShape(member, outcomes)]),
  )
}

function isDescription(value: JsonObject): boolean {
  return Object.hasOwn(value, 'type') && Object.hasOwn(value, 'data')
}
