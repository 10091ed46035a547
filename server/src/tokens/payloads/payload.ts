import { invalid } from '../../base/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts'
import { memberPath } from '../../base/member-path.ts'
import type { CreateTokenRequest } from '../../contract/types.ts'
import { limits } from '../../generated/facts.ts'

/** A token that a payload asks for. */
export interface RequestedToken {
  /** Where the payload asks for it, for messages. */
  readonly path: string
  /** Not held against the contract yet, where it is a description. */
  readonly input: CreateTokenRequest
  /** A bare value, whose id takes its place; otherwise a description, which a token object replaces. */
  readonly bare: boolean
}

export interface Payload {
  /** The payload with a number in the place of each token: its position in `requested`. Nothing else is left of it. */
  readonly shape: JsonValue
  readonly requested: readonly RequestedToken[]
}

/**
 * Finds the tokens that a payload asks for: an object with `type` and `data` describes one, any other value
 * that is neither object nor array nor null is one. Null holds nothing that a token could stand for, and stays.
 * @throws {ServiceError} validation, where there are too many
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

/** The payload again, with what has become of each request in its place. */
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
