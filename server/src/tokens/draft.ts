import { auditEntry } from '../audit/entries.ts'
import { invalid, ServiceError } from '../base/errors.ts'
import type { JsonValue } from '../base/json/json.ts'
import type { Mutable } from '../base/mutable.ts'
import { readExpiration } from '../base/time/expiration.ts'
import { isTokenId, tokenIdRule } from '../contract/formats.ts'
import type { CreateTokenRequest, TokenType } from '../contract/types.ts'
import { ExpressionError } from '../expressions/engine.ts'
import { limits, tokenTypes } from '../generated/facts.ts'
import type { Write, Written } from '../storage/port/port.ts'
import { OpenedRecord } from '../storage/records/records.ts'
import { derive, indexOf } from './derived.ts'
import { holdsData } from './id-holds-data.ts'
import { insertCvc, LiveToken, splitCvc, type TokenRecord } from './token.ts'
import { type TenantTokens, tokenAction } from './token-parts.ts'

/** The number of times that an id expression is evaluated to find a free id before a UUID is used instead. */
const idAttempts = 10

interface ChosenId {
  readonly id: string
  /** True if it was drawn at random for this token, so that no other has it. */
  readonly fresh: boolean
}

/** The members of a new token that its id depends on. */
interface IdInput {
  readonly id?: string | null
  readonly type: TokenType
  readonly data: JsonValue
}

/**
 * Chooses the id of a new token: the one given, one made by the given expression, or a UUID.
 * @throws {ServiceError} validation, for an id that is not valid or that contains the data
 */
// Requirements: TOK-002, TOK-003, TOK-004, TOK-054, TOK-550
export function chooseId(tokens: TenantTokens, input: IdInput, attempt: number): ChosenId {
  const { id: given, type, data } = input
  if (given === undefined || given === null) return { id: tokens.parts.random.timedUuid(), fresh: true }
  if (!tokens.parts.expressions.isExpression(given)) {
    if (holdsData(given, type, data)) throw invalid('id', holdingData)
    return { id: given, fresh: false }
  }
  if (attempt >= idAttempts) return { id: tokens.parts.random.timedUuid(), fresh: true }
  return { id: evaluateId(tokens, given, input), fresh: false }
}

const holdingData = 'must not be the data, nor contain its card, account or identity number'

/** True if a given id is literal, so that no other can be tried if it is taken. */
export function isTakenIdFinal(tokens: TenantTokens, given: string | undefined): boolean {
  return given !== undefined && !tokens.parts.expressions.isExpression(given)
}

/** @param paths of the ids in the request */
export function takenIds(paths: readonly string[]): ServiceError {
  return new ServiceError('conflict', 'a token with this id exists already', {
    errors: Object.fromEntries(paths.map(path => [path, ['is taken by another token']])),
  })
}

/** Evaluates the expression, a second time if the first id contains the data: an alias may by chance. */
function evaluateId(tokens: TenantTokens, expression: string, { type, data }: IdInput): string {
  for (let draw = 0; draw < 2; draw++) {
    const id = rendered(tokens, expression, data)
    if (!isTokenId(id)) throw invalid('id', `must evaluate to ${tokenIdRule}`)
    if (!holdsData(id, type, data)) return id
  }
  throw invalid('id', holdingData)
}

function rendered(tokens: TenantTokens, expression: string, data: JsonValue): string {
  try {
    return tokens.parts.expressions.render(expression, { data })
  } catch (error) {
    if (error instanceof ExpressionError) throw invalid('id', error.message)
    throw error
  }
}

/** A token that is not stored yet. */
export interface Draft {
  readonly record: TokenRecord
  /** True if the id was drawn at random for it. */
  readonly fresh: boolean
  /** As sent, including a card's code. */
  readonly data: JsonValue
  /** The data under the mask. */
  readonly masked: JsonValue | undefined
  readonly cvc: string | undefined
}

/** Makes a token without storing it. @throws {ServiceError} validation */
// Requirements: TOK-045, WIR-504
export async function draftToken(
  tokens: TenantTokens,
  input: CreateTokenRequest,
  attempt = 0,
): Promise<Draft> {
  const type = tokenTypes[input.type]
  const nowUs = tokens.nowUs()
  const expiration =
    typeof input.expires_at === 'string' ? readExpiration(input.expires_at, nowUs) : undefined
  const { data, cvc } = splitCvc(input.type, input.data)
  const { id, fresh } = chooseId(tokens, input, attempt)
  const mask = input.mask ?? type.mask ?? undefined
  // Requirements: TOK-521, SEA-542
  const indexes = input.search_indexes ?? type.searchIndexes
  // Assigned one by one, as every create makes one and spreading the optional members takes several times as long.
  const record: Mutable<TokenRecord> = {
    id,
    type: input.type,
    fingerprint_expression: input.fingerprint_expression ?? type.fingerprintExpression,
    data,
    containers: input.containers ?? type.containers,
    // Requirements: TOK-043, APP-540
    created_by: tokens.caller.application,
  }
  if (mask !== undefined) record.mask = mask
  if (input.metadata) record.metadata = input.metadata
  if (indexes.length > 0) record.search_indexes = indexes
  const { derived, masked } = await derive(tokens, record, input.data)
  if (derived.fingerprint !== undefined) record.fingerprint = derived.fingerprint
  if (derived.patterns !== undefined) record.patterns = derived.patterns
  if (input.deduplicate_token) record.deduplicate_token = true
  if (expiration) {
    record.expires_at = expiration.echo
    record.expires_ms = expiration.ms
  }
  if (cvc !== undefined) {
    record.cvc = {
      id: tokens.parts.random.timedUuid(),
      until_ms: Math.floor(nowUs / 1000) + limits.cvcLifetime,
    }
  }
  return { record, fresh, data: input.data, masked, cvc }
}

export interface DraftWrites {
  readonly token: Write
  /** Those of the token, its code, and the audit entry. */
  readonly all: readonly Write[]
}

export function draftWrites(tokens: TenantTokens, { record, fresh, cvc }: Draft): DraftWrites {
  const token = tokens.store.insert('token', record, indexOf(tokens.store, record), fresh)
  const all = [token]
  if (record.cvc && cvc !== undefined) all.push(insertCvc(tokens.store, record.cvc, cvc))
  all.push(
    auditEntry(tokens.store, tokens.parts.random, tokenAction('token:create', record.id, tokens.caller)),
  )
  return { token, all }
}

/** Returns the token that the commit has made of a draft. */
export function asLive({ record, data, masked }: Draft, written: Written): LiveToken {
  return new LiveToken(new OpenedRecord(record, written), data, masked)
}
