import { isJsonObject, type JsonValue } from '../../base/json.ts'

/** What a type of token brings along: where it lives and how it is masked, told apart and searched. */
export interface TokenType {
  readonly name: string
  /** The schema of its data in the contract. */
  readonly dataSchema: string
  readonly container: string
  /** `undefined`: shown to nobody who may only see masks. */
  readonly mask: JsonValue | undefined
  readonly fingerprintExpression: string
  /** The card, account or identity number that data of this type holds, which no id may contain. */
  readonly secretNumber?: (data: JsonValue) => string | undefined
  /** `undefined`: data of this type cannot be searched. */
  readonly searchIndexes: readonly string[] | undefined
}

/** Reads the number where it is the whole data. */
export function wholeNumber(data: JsonValue): string | undefined {
  return typeof data === 'string' ? data : undefined
}

/** Reads the number from a member of the data. */
export function numberIn(member: string): (data: JsonValue) => string | undefined {
  return data =>
    isJsonObject(data) && Object.hasOwn(data, member) ? wholeNumber(data[member] ?? null) : undefined
}
