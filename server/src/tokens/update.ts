import { requirePermission } from '../access/caller.ts'
import { auditEntry } from '../audit/entries.ts'
import { comparableId } from '../base/comparable-id.ts'
import { invalid, refuseIfAny, ServiceError } from '../base/errors.ts'
import type { JsonValue } from '../base/json/json.ts'
import { mergePatch } from '../base/json/merge-patch.ts'
import type { Mutable } from '../base/mutable.ts'
import { readExpiration } from '../base/time/expiration.ts'
import { numericDates } from '../contract/dialect.ts'
import type { Token, UpdateTokenRequest } from '../contract/types.ts'
import { limits, tokenTypes } from '../generated/facts.ts'
import { identityOf } from '../search/terms.ts'
import type { Write } from '../storage/port/port.ts'
import { type Receipt, type RecordedEntity, transact } from '../storage/port/transact.ts'
import { OpenedRecord } from '../storage/records/records.ts'
import { type Deduplication, deduplicate, showOriginal } from './deduplicate.ts'
import { type Changes, type Derived, derive, indexOf, isTooLarge } from './derived.ts'
import { liveRecord, liveToken } from './read.ts'
import { showUpdated } from './show.ts'
import { insertCvc, isCvcLive, LiveToken, removeCvc, splitCvc, type TokenRecord } from './token.ts'
import { type TenantTokens, tokenAction } from './token-parts.ts'
import { demandUpdate, type UpdateRight } from './update-rights.ts'

/** The token that was shown; and if the update sets a mask, the one before it, which limits the answer. */
export type RecordedUpdate = RecordedEntity & { readonly details?: { readonly mask: JsonValue } }

export async function updateToken(
  tokens: TenantTokens,
  id: string,
  input: UpdateTokenRequest,
  receipt?: Receipt<RecordedUpdate>,
): Promise<Token> {
  return transact<Token, RecordedUpdate>(
    tokens.store,
    tokens,
    async () => {
      const current = await liveRecord(tokens, id)
      const right = demandUpdate(tokens.caller, current.value, input)
      const live = await liveToken(tokens, current)
      const next = await patched(tokens, live, input, right)

      const { original, claims } = await duplicated(tokens, current, next.record)
      if (original) {
        return {
          writes: [],
          recorded: { entity: original.value.id },
          result: () => showOriginal(tokens, original),
        }
      }
      const { mask } = current.value
      // A token that was deleted meanwhile may have left its id to another one.
      const token = tokens.store.replace('token', current, next.record, indexOf(tokens.store, next.record))
      return {
        writes: [
          token,
          ...next.cvcWrites,
          auditEntry(tokens.store, tokens.parts.random, {
            ...tokenAction('token:update', current.value.id, tokens.caller),
            superseded: current,
          }),
          ...claims,
        ],
        // Callers who may not read the token see the data under the mask before it.
        recorded: {
          entity: current.value.id,
          ...(input.mask === undefined || mask === undefined ? {} : { details: { mask } }),
        },
        // Requirements: TOK-034
        result: written => {
          const updated = new LiveToken(new OpenedRecord(next.record, written(token)), next.data)
          return showUpdated(tokens, updated, right.transform, mask)
        },
      }
    },
    receipt,
  )
}

/**
 * Reads the answer to an earlier update again, with the caller's rights of now: the token as it is now, or the original
 * that was shown because the update would have made a duplicate.
 */
export async function readUpdated(
  tokens: TenantTokens,
  id: string,
  input: UpdateTokenRequest,
  { entity, details }: RecordedUpdate,
): Promise<Token> {
  const record = await liveRecord(tokens, id)
  const { transform } = demandUpdate(tokens.caller, record.value, input)
  if (comparableId(entity) !== comparableId(id)) {
    const original = await liveRecord(tokens, entity)
    requirePermission(tokens.caller, 'token:update', original.value)
    return showOriginal(tokens, original)
  }
  const live = await liveToken(tokens, record)
  const mask = input.mask === undefined ? record.value.mask : details?.mask
  return showUpdated(tokens, live, transform, mask)
}

interface Patched {
  readonly record: TokenRecord
  readonly data: JsonValue
  readonly cvcWrites: Write[]
}

// Requirements: TOK-036, DAT-013, TYP-540
async function patched(
  tokens: TenantTokens,
  live: LiveToken,
  input: UpdateTokenRequest,
  { reads }: UpdateRight,
): Promise<Patched> {
  const current = live.record.value
  const type = tokenTypes[current.type]
  const merged = input.data === undefined ? live.data : mergePatch(live.data, input.data)
  const isDialect = current.type === 'card' && tokens.parts.dialect?.cardDatesAsText
  const data = isDialect ? numericDates(merged) : merged
  if (input.data !== undefined) {
    refuseIfAny(tokens.parts.validators.check(type.dataSchema, data, 'data'), 'the merged data is not valid')
    if (isTooLarge(data)) {
      throw invalid('data', `would hold more than ${limits.bodyBytes} bytes after the merge`)
    }
  }
  const { data: stored, cvc } = splitCvc(current.type, data)
  const record: Mutable<TokenRecord> = {
    id: current.id,
    type: current.type,
    // Requirements: TOK-032
    fingerprint_expression: replaced(
      input.fingerprint_expression,
      current.fingerprint_expression,
      type.fingerprintExpression,
    ),
    data: stored,
    // Requirements: TOK-030
    containers: replaced(input.containers, current.containers, type.containers),
    created_by: current.created_by,
    // Requirements: TOK-043
    modified_by: tokens.caller.application,
  }
  setIfKept(record, 'mask', patchedMask(current, input))
  setIfKept(record, 'metadata', patchedMetadata(tokens, current, input))
  setIfKept(record, 'search_indexes', patchedIndexes(tokens, current, input))
  // Checked before expressions are evaluated, so that this refusal reveals nothing about the data.
  const expires = expiration(tokens, current, input)
  setIfKept(record, 'expires_at', expires.expires_at)
  setIfKept(record, 'expires_ms', expires.expires_ms)
  const { reference, writes } = await nextCvc(tokens, live, cvc)
  const isChanged = live.data !== data && JSON.stringify(live.data) !== JSON.stringify(data)
  const changes = changesOf(input, record.fingerprint_expression, isChanged, reads)
  let derived: Derived
  try {
    derived = (await derive(tokens, record, data, changes, current)).derived
  } catch (error) {
    throw reads ? error : withoutReasons(error, input)
  }
  setIfKept(record, 'fingerprint', derived.fingerprint)
  setIfKept(record, 'patterns', derived.patterns)
  setIfKept(record, 'cvc', reference)
  if (replaced(input.deduplicate_token, current.deduplicate_token ?? false, false)) {
    record.deduplicate_token = true
  }
  return { record, data, cvcWrites: writes }
}

function patchedMask(current: TokenRecord, input: UpdateTokenRequest): JsonValue | undefined {
  if (input.mask === undefined) return current.mask
  return input.mask === null
    ? (tokenTypes[current.type].mask ?? undefined)
    : mergePatch(current.mask, input.mask)
}

/** Finds the token that this update would duplicate, if it asks for deduplication, by the right to make the update. */
async function duplicated(
  tokens: TenantTokens,
  { value }: OpenedRecord<TokenRecord>,
  next: TokenRecord,
): Promise<Deduplication> {
  if (value.deduplicate_token && identityOf(value) === identityOf(next)) return { claims: [] }
  const found = await deduplicate(tokens, 'token:update', next)
  return found.original?.value.id === next.id ? { claims: [] } : found
}

/** A patch over a live code keeps its deadline. A code where there was none gets an hour of its own. */
// Requirements: TOK-511
async function nextCvc(tokens: TenantTokens, live: LiveToken, cvc: string | undefined) {
  const before = live.record.value.cvc
  const writes = before ? await removeCvc(tokens.store, before) : []
  if (cvc === undefined) return { reference: undefined, writes }
  const nowUs = tokens.nowUs()
  const until_ms =
    before && isCvcLive(live.record.value, nowUs)
      ? before.until_ms
      : Math.floor(nowUs / 1000) + limits.cvcLifetime
  const reference = { id: tokens.parts.random.uuid(), until_ms }
  return { reference, writes: [...writes, insertCvc(tokens.store, reference, cvc)] }
}

function patchedMetadata(tokens: TenantTokens, current: TokenRecord, input: UpdateTokenRequest) {
  if (input.metadata === undefined) return current.metadata
  if (input.metadata === null) return undefined
  const metadata = mergePatch({ ...current.metadata }, input.metadata)
  refuseIfAny(
    tokens.parts.validators.check('Metadata', metadata, 'metadata'),
    'the merged metadata is not valid',
  )
  return metadata as Record<string, string>
}

// Requirements: TOK-031, SEA-540
function patchedIndexes(
  tokens: TenantTokens,
  current: TokenRecord,
  input: UpdateTokenRequest,
): readonly string[] | undefined {
  if (input.search_indexes === undefined) return current.search_indexes
  if (input.search_indexes === null || input.search_indexes.length === 0) return undefined
  if (!tokenTypes[current.type].isSearchable) {
    const errors = tokens.parts.validators.check(
      'NoSearchIndexes',
      [...input.search_indexes],
      'search_indexes',
    )
    refuseIfAny(errors, `the data of a ${current.type} token cannot be searched`)
  }
  return input.search_indexes
}

// Requirements: TOK-033
function expiration(tokens: TenantTokens, current: TokenRecord, input: UpdateTokenRequest) {
  if (input.expires_at === null) return { expires_at: undefined, expires_ms: undefined }
  if (input.expires_at === undefined) {
    return { expires_at: current.expires_at, expires_ms: current.expires_ms }
  }
  const { echo, ms } = readExpiration(input.expires_at, tokens.nowUs())
  return { expires_at: echo, expires_ms: ms }
}

/**
 * Decides by the members of a patch what is evaluated again. An unchanged mask is evaluated on new data only for callers
 * who may read the data: to others, its failure would reveal data that they did not send.
 */
// Requirements: TOK-544, TYP-541
function changesOf(
  input: UpdateTokenRequest,
  fingerprintExpression: string,
  dataChanged: boolean,
  reads: boolean,
): Changes {
  const readsMetadata = fingerprintExpression.includes('metadata')
  return {
    mask: (dataChanged && reads) || input.mask !== undefined,
    fingerprint:
      dataChanged ||
      input.fingerprint_expression !== undefined ||
      (readsMetadata && input.metadata !== undefined),
    indexes: dataChanged || input.search_indexes !== undefined,
  }
}

/**
 * Replaces the errors of the token's expressions for callers who may not read the data: the error names the member of the
 * patch, and not which expression failed or how.
 */
// Requirements: ACC-545
function withoutReasons(error: unknown, input: UpdateTokenRequest): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'validation') return error
  const changed = input.data === undefined ? 'metadata' : 'data'
  return invalid(changed, 'does not fit the search indexes or the fingerprint expression of this token')
}

/** Returns the value of the patch, the current one if the patch has none, and the default if it is null. */
// Requirements: TOK-506
function replaced<T>(patch: T | null | undefined, current: T, fallback: T): T {
  return patch === undefined ? current : (patch ?? fallback)
}

/** Sets a member unless the value is undefined. Spreading optional members takes several times as long. */
function setIfKept<K extends keyof TokenRecord>(
  record: Mutable<TokenRecord>,
  name: K,
  value: TokenRecord[K] | undefined,
): void {
  if (value !== undefined) (record as { [member in K]: TokenRecord[K] })[name] = value
}
