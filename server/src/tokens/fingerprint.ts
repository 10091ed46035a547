import { ServiceError } from '../base/errors.ts'
import type { JsonValue } from '../base/json.ts'
import { ExpressionError, type Expressions } from '../expressions/engine.ts'
import type { TenantStore } from '../storage/records/sealed.ts'

export interface FingerprintInput {
  readonly type: string
  readonly expression: string
  readonly data: JsonValue
  readonly metadata: Readonly<Record<string, string>> | undefined
}

/**
 * Returns a keyed one-way digest of the value of the expression, per tenant and type: equal values have equal
 * fingerprints, and nobody can try values without the tenant's keys. `undefined` if the value is empty.
 * @throws {ServiceError} validation, if the expression does not parse or fails on this data
 */
// Requirements: TOK-016, TOK-017, ACC-510, TOK-052
export function fingerprintOf(
  expressions: Expressions,
  store: TenantStore,
  { type, expression, data, metadata }: FingerprintInput,
): string | undefined {
  let text: string
  try {
    text = expressions.render(expression, { data, metadata: { ...metadata } })
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    throw new ServiceError('validation', 'the fingerprint expression cannot be evaluated on this data', {
      errors: { fingerprint_expression: [error.message] },
    })
  }
  return text === '' ? undefined : store.shownDigest(`fingerprint ${type}`, text)
}
