import { invalid } from '../../base/errors.ts'
import { isJsonObject, type JsonValue, mapLeaves } from '../../base/json/json.ts'
import { memberPath } from '../../base/json/member-path.ts'
import { type Dialect, describedInContract } from '../../contract/dialect.ts'
import { isDescription } from '../../contract/places.ts'
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

interface Payload {
  /** The structure of the payload, with each token replaced by its position in `requested`. Holds no other values. */
  readonly shape: JsonValue
  readonly requested: readonly RequestedToken[]
}

/**
 * Finds the tokens that a payload asks for: an object with `type` and `data` describes one, any other value
 * except an object, an array or null is one. Null stays null.
 * @throws {ServiceError} validation, if there are too many
 */
export function readPayload(payload: JsonValue, dialect?: Dialect): Payload {
  const requested: RequestedToken[] = []
  const shape = mapLeaves(
    payload,
    (value, path) => {
      if (value === null) return null
      if (requested.length === limits.payloadTokens)
        throw invalid('body', `asks for more than ${limits.payloadTokens} tokens`)
      const bare = !isJsonObject(value)
      const at = memberPath(path)
      const described = dialect && !bare ? describedInContract(dialect, value, at) : value
      const input: unknown = bare ? { type: 'token', data: value } : described
      return requested.push({ path: at, input: input as CreateTokenRequest, bare }) - 1
    },
    value => typeof value !== 'object' || value === null || isDescription(value),
  )
  return { shape: shape ?? null, requested }
}

/** Returns the payload with each requested token replaced by its outcome. */
// Requirements: TKZ-501
export function fillShape(shape: JsonValue, outcomes: readonly JsonValue[]): JsonValue {
  const filled = mapLeaves(shape, leaf => (typeof leaf === 'number' ? (outcomes[leaf] ?? null) : leaf))
  return filled ?? null
}
