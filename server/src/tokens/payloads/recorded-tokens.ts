import { requirePermission } from '../../access/caller.ts'
import type { Subject } from '../../access/rules.ts'
import { ServiceError } from '../../base/errors.ts'
import type { JsonValue } from '../../base/json/json.ts'
import type { TokenizedPayload } from '../../contract/types.ts'
import type { OpenedRecord } from '../../storage/records/records.ts'
import { showOriginal } from '../deduplicate.ts'
import type { Draft } from '../draft.ts'
import { liveToken } from '../read.ts'
import { atMostMasked, showToken } from '../show.ts'
import { isExpired, type TokenRecord } from '../token.ts'
import type { TenantTokens } from '../token-parts.ts'
import { fillShape } from './plan-tokens.ts'

/** A token of an answer, as a receipt keeps it: its id, never its contents. */
export interface RecordedToken {
  readonly id: string
  /** `id`: only its id was shown. `original`: it was there before, and was shown in place of a new one. */
  readonly as: 'id' | 'created' | 'original'
  /** The duplicate that the caller wanted to create when it was shown an original. */
  readonly wanted?: Subject
}

/** The tokens of an answer, and the structure that they are put into; see `Payload`. */
export interface RecordedTokens {
  readonly shape: JsonValue
  readonly tokens: readonly RecordedToken[]
}

/** Returns the form of an answer that is one token. */
export function singleToken(token: RecordedToken): RecordedTokens {
  return { shape: 0, tokens: [token] }
}

/** @param original the id of the token that is shown in place of this one */
export function recordedToken({ record: { id, containers } }: Draft, original?: string): RecordedToken {
  return original === undefined
    ? { id, as: 'created' }
    : { id: original, as: 'original', wanted: { id, containers } }
}

interface ShowRecordedOptions {
  /** `false` for the tokens of a reactor's answer, which need no `token:create` and are shown masked. */
  readonly asksPermission?: boolean
  /** Replaces a token that is gone. Without it, such a token is a 404. */
  readonly gone?: null
}

/** Masks may take long, so other requests have their turn between this many tokens. */
export const tokensPerTurn = 8

/**
 * Shows the tokens of an earlier answer as it would show them now: the live tokens, by the caller's present rights.
 *
 * @throws {ServiceError} not_found, permission_denied
 */
// Requirements: IDE-520, IDE-521
export async function showRecorded(
  tokens: TenantTokens,
  recorded: RecordedTokens,
  options: ShowRecordedOptions = {},
): Promise<TokenizedPayload> {
  const live = await liveRecords(tokens, recorded.tokens)
  const shown: JsonValue[] = []
  for (const [index, token] of recorded.tokens.entries()) {
    if (index % tokensPerTurn === tokensPerTurn - 1) await tokens.pass()
    const record = live.get(token.id)
    if (record) shown.push(await showOne(tokens, token, record, options))
    else if (options.gone === null) shown.push(null)
    else
      throw new ServiceError(
        'not_found',
        'a token of the answer that this idempotency key stands for is gone',
      )
  }
  return fillShape(recorded.shape, shown) as TokenizedPayload
}

async function showOne(
  tokens: TenantTokens,
  { id, as, wanted }: RecordedToken,
  record: OpenedRecord<TokenRecord>,
  { asksPermission = true }: ShowRecordedOptions,
): Promise<JsonValue> {
  const transform = asksPermission
    ? requirePermission(tokens.caller, 'token:create', wanted ?? record.value)
    : 'mask'
  if (as === 'original' && asksPermission) requirePermission(tokens.caller, 'token:create', record.value)
  if (as === 'id') return id
  const token =
    as === 'original'
      ? await showOriginal(tokens, record)
      : showToken(tokens, await liveToken(tokens, record), atMostMasked(transform))
  return token as unknown as JsonValue
}

async function liveRecords(tokens: TenantTokens, recorded: readonly RecordedToken[]) {
  const ids = [...new Set(recorded.map(({ id }) => id))]
  const records = await tokens.store.getMany<TokenRecord>('token', ids)
  const nowUs = tokens.nowUs()
  const live = records.flatMap(record => (record && !isExpired(record.value, nowUs) ? [record] : []))
  return new Map(live.map(record => [record.value.id, record]))
}
