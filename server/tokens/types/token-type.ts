import type { JsonValue } from '../../base/json.ts'

/** What a type of token brings along: where it lives and how it is masked, told apart and searched. */
export interface TokenType {
  readonly name: string
  /** The schema of its data in the contract. */
  readonly dataSchema: string
  readonly container: string
  /** `undefined`: shown to nobody who may only see masks. */
  readonly mask: JsonValue | undefined
  readonly fingerprintExpression: string
  /** `undefined`: data of this type cannot be searched. */
  readonly searchIndexes: readonly string[] | undefined
}
