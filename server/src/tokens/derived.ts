import { refuseIfAny, ServiceError } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import type { Mutable } from '../base/mutable.ts'
import { ExpressionError } from '../expressions/engine.ts'
import { limits } from '../generated/facts.ts'
import { evaluateIndexes, termsOf } from '../search/terms.ts'
import type { RecordIndex, TenantRecords } from '../storage/records/records.ts'
import { checkMask } from './show.ts'
import type { TokenRecord } from './token.ts'
import type { TenantTokens } from './token-parts.ts'

/** The members of a token that are computed from its other members. */
export interface Derived {
  readonly fingerprint?: string
  readonly patterns?: readonly string[]
}

interface Evaluated {
  readonly derived: Derived
  /** The data under the mask, if the mask was evaluated. */
  readonly masked: JsonValue | undefined
}

type TokenExpressions = Pick<
  TokenRecord,
  'id' | 'type' | 'mask' | 'fingerprint_expression' | 'metadata' | 'search_indexes'
>

/** The expressions of a token that have to be evaluated again. */
export interface Changes {
  readonly mask: boolean
  readonly fingerprint: boolean
  readonly indexes: boolean
}

const everything: Changes = { mask: true, fingerprint: true, indexes: true }

/**
 * Evaluates the expressions of a token on its data. The values of those that have not changed are taken from `before`,
 * so that erasing a card's code does not change its fingerprint. Lets others go first before each expression, as each may take
 * as long as the limits of expressions allow.
 * @throws {ServiceError} validation, for a mask, fingerprint or index expression that fails
 */
// Requirements: TOK-510
export async function derive(
  tokens: TenantTokens,
  token: TokenExpressions,
  data: JsonValue,
  changes = everything,
  before: Derived = {},
): Promise<Evaluated> {
  // Awaiting nothing would cost a microtask each time.
  const beforeMask = tokens.pass()
  if (beforeMask) await beforeMask
  const { masked, errors } = checkMask(tokens, token.id, changes.mask ? token.mask : undefined, data)
  refuseIfAny(errors, 'the mask cannot be evaluated on this data')
  const afterMask = tokens.pass()
  if (afterMask) await afterMask
  const fingerprint = changes.fingerprint ? fingerprintOf(tokens, token, data) : before.fingerprint
  const afterFingerprint = tokens.pass()
  if (afterFingerprint) await afterFingerprint
  const patterns = changes.indexes
    ? evaluateIndexes(tokens.parts.expressions, token.search_indexes ?? [], data)
    : (before.patterns ?? [])
  const derived: Mutable<Derived> = {}
  if (fingerprint !== undefined) derived.fingerprint = fingerprint
  if (patterns.length > 0) derived.patterns = patterns
  return { derived, masked }
}

/** True of data that is longer, as JSON, than any that one request can bring. */
export function isTooLarge(data: JsonValue): boolean {
  return Buffer.byteLength(JSON.stringify(data)) > limits.bodyBytes
}

/** Returns the terms and the due time under which a token is stored. */
export function indexOf(store: TenantRecords, token: TokenRecord): RecordIndex {
  const terms = termsOf(store, token)
  return token.expires_ms === undefined ? { terms } : { terms, dueMs: token.expires_ms }
}

/**
 * Returns a keyed one-way digest of the value of the expression, per tenant and type: equal values have equal
 * fingerprints, and nobody can try values without the tenant's keys. `undefined` if the value is empty.
 * @throws {ServiceError} validation, if the expression does not parse or fails on this data
 */
// Requirements: TOK-016, TOK-017, ACC-510, TOK-052
function fingerprintOf(
  { store, parts }: TenantTokens,
  {
    type,
    fingerprint_expression,
    metadata,
  }: Pick<TokenRecord, 'type' | 'fingerprint_expression' | 'metadata'>,
  data: JsonValue,
): string | undefined {
  let text: string
  try {
    text = parts.expressions.render(fingerprint_expression, {
      data,
      metadata: (metadata ?? {}) as JsonObject,
    })
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    throw new ServiceError('validation', 'the fingerprint expression cannot be evaluated on this data', {
      errors: { fingerprint_expression: [error.message] },
    })
  }
  return text === '' ? undefined : store.publicDigest(`fingerprint ${type}`, text)
}
