import { holds, missingPermission, requirePermission } from '../../access/caller.ts'
import { comparableId } from '../../base/comparable-id.ts'
import { invalid, ServiceError } from '../../base/errors.ts'
import type { JsonObject, JsonValue } from '../../base/json/json.ts'
import { errorPath } from '../../base/json/member-path.ts'
import type { Transform } from '../../contract/types.ts'
import { limits } from '../../generated/facts.ts'
import { type OpenedRecord, type TenantRecords, TooManyBytes } from '../../storage/records/records.ts'
import { showMask } from '../show.ts'
import { isExpired, type LiveToken, type TokenRecord, withCvc } from '../token.ts'
import { type AbsentTokens, recordReveal, type TenantTokens } from '../token-parts.ts'
import {
  type FoundReferences,
  fillReferences,
  findReferences,
  tooManyTokens,
  valueKey,
} from './replace-references.ts'

/**
 * `raw` replaces references by the token's data, as formulas need it; `transformed` by what the caller's rules for
 * `token:use` show of it.
 */
type Resolution = 'raw' | 'transformed'

/**
 * Replaces the references in all texts of a JSON value by the data of tokens; `references.ts` has their syntax. A text
 * that is exactly one reference becomes the data itself; inside longer text, data is inserted as text. Data that the
 * rules do not show is null. Inserted data is never read as a reference. The result may share parts with the given value.
 *
 * @param root the path of the value in the request, for messages
 * @throws {ServiceError} validation, detokenize_failed naming every id without a token, permission_denied
 */
// Requirements: INV-006, INV-007, INV-028
export async function resolveReferences(
  tokens: TenantTokens,
  json: JsonValue,
  how: Resolution,
  root = '',
): Promise<JsonValue> {
  const found = await findUsable(tokens, json, root)
  if (found.named.size === 0) return json
  const { records, missing, expired } = await lookUp(tokens, found.named, root)
  // Requirements: INV-502
  if (missing.length > 0) {
    throw new ServiceError('detokenize_failed', `Failed to detokenize some tokens: ${missing.join(', ')}`, {
      cause: absence(missing, expired),
    })
  }
  // Requirements: INV-004
  const transforms = records.map(({ value }) => requirePermission(tokens.caller, 'token:use', value))
  const live = await withCvc(tokens.store, records, tokens.nowUs())
  const values = new Map<string, JsonValue>()
  const revealed = new Set<string>()
  for (const [index, token] of live.entries()) {
    const { id } = token.record.value
    const transform = how === 'raw' ? 'reveal' : (transforms[index] ?? 'redact')
    if (transform === 'reveal') revealed.add(id)
    const passing = transform === 'mask' ? tokens.pass() : undefined
    if (passing) await passing
    const data = resolved(tokens, token, transform)
    values.set(valueKey(id, false), data)
    if (found.hasWhole) values.set(valueKey(id, true), wholeToken(token, data))
  }
  await recordReveal(tokens, 'token:use', revealed)
  return fillReferences(tokens.parts.expressions, () => tokens.pass(), json, found.texts, values, root)
}

/**
 * Checks the caller's right to each token that a payload names and that still exists, where an earlier answer is
 * sent again.
 *
 * @throws {ServiceError} permission_denied
 */
// Requirements: IDE-520
export async function demandReferences(tokens: TenantTokens, json: JsonValue, root: string): Promise<void> {
  const found = await findUsable(tokens, json, root)
  if (found.named.size === 0) return
  const { records } = await lookUp(tokens, found.named, root)
  for (const { value } of records) requirePermission(tokens.caller, 'token:use', value)
}

/**
 * Finds the tokens that a payload names. A caller that may use none is refused before any is read: it must not learn
 * which ids exist.
 *
 * @throws {ServiceError} validation, permission_denied
 */
async function findUsable(tokens: TenantTokens, json: JsonValue, root: string): Promise<FoundReferences> {
  const found = await findReferences(tokens.parts.expressions, () => tokens.pass(), json, root)
  if (found.named.size > 0 && !holds(tokens.caller, 'token:use'))
    throw missingPermission(tokens.caller, 'token:use')
  return found
}

/** Finds the live tokens with these ids, or with the ids to try instead, and the ids that name none. */
async function lookUp(
  tokens: TenantTokens,
  named: FoundReferences['named'],
  root: string,
): Promise<{
  readonly records: OpenedRecord<TokenRecord>[]
  readonly missing: readonly string[]
  /** Those of the missing tokens that are not erased yet. */
  readonly expired: readonly TokenRecord[]
}> {
  const nowUs = tokens.nowUs()
  const expired: TokenRecord[] = []
  const live = async (ids: readonly string[]) => {
    const records = await readTokens(tokens.store, ids, root)
    const found = records.flatMap(record => {
      if (!record || !isExpired(record.value, nowUs)) return record ?? []
      expired.push(record.value)
      return []
    })
    return new Map(found.map(record => [comparableId(record.value.id), record]))
  }
  const byId = await live([...named.keys()])
  const unknown = [...named].filter(([id]) => !byId.has(id))
  const seconds = new Set(unknown.flatMap(([, { seconds }]) => [...seconds]).filter(id => id !== undefined))
  if (byId.size + seconds.size > limits.payloadTokens) throw tooManyTokens(root)
  const bySecond = await live([...seconds])
  const missing = unknown.filter(
    ([, { seconds }]) => ![...seconds].every(id => id !== undefined && bySecond.has(id)),
  )
  const records = [...byId.values(), ...bySecond.values()]
  return { records, missing: missing.map(([, { given }]) => given), expired }
}

/** Names the missing tokens, and when those expired that are not erased yet. */
function absence(missing: readonly string[], expired: readonly TokenRecord[]): AbsentTokens {
  const absent = missing.map(given => {
    const id = comparableId(given)
    return { id: given, expiredMs: expired.find(one => comparableId(one.id) === id)?.expires_ms }
  })
  return { absent }
}

/** Returns the tokens with these ids, in their order. @throws {ServiceError} validation, if they are too large together */
async function readTokens(store: TenantRecords, ids: readonly string[], root: string) {
  try {
    // All of them are in memory at once.
    return await store.getMany<TokenRecord>('token', ids, limits.namedTokensBytes)
  } catch (error) {
    if (!(error instanceof TooManyBytes)) throw error
    throw invalid(
      errorPath(root),
      `names tokens of more than ${limits.namedTokensBytes} bytes together; name fewer`,
    )
  }
}

/** The object that `{{ token: id }}` stands for. */
function wholeToken({ record }: LiveToken, shown: JsonValue): JsonObject {
  const { id, type, metadata } = record.value
  return { id, type, data: shown, metadata: { ...metadata } }
}

// Requirements: INV-008
function resolved(tokens: TenantTokens, { record, data }: LiveToken, transform: Transform): JsonValue {
  switch (transform) {
    case 'reveal':
      return data
    case 'mask':
      return showMask(tokens, record.value.id, record.value.mask, data) ?? null
    case 'redact':
      return null
  }
}
