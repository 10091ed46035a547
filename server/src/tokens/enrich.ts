import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts'
import { brandOf } from './card-brands.ts'
import { type CardIssuers, issuerOf } from './card-issuers.ts'
import type { TokenRecord } from './token.ts'

/**
 * Returns what the number of a card says of it, for a caller who is shown the whole number: so enrichments reveal nothing
 * that the data beside them does not.
 * @param data the data of the token
 * @param shown the same as the caller's rules transform it
 */
// Requirements: TOK-042, TKZ-507
export function enrichmentsOf(
  type: TokenRecord['type'],
  data: JsonValue,
  shown: JsonValue,
  issuers: CardIssuers | undefined,
): JsonObject | undefined {
  if (type !== 'card' && type !== 'card_number') return undefined
  const number = numberIn(data) as string
  if (numberIn(shown) !== number) return undefined
  return { card: { ...brandOf(number), ...issuerOf(issuers, number) } as JsonObject }
}

const numberIn = (data: JsonValue) => (isJsonObject(data) ? data.number : data)
