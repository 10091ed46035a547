import { type Caller, demand } from '../../access/caller.ts'
import type { Subject } from '../../access/rules.ts'
import { ServiceError } from '../../base/errors.ts'
import { nextTurn } from '../../base/flow/event-loop.ts'
import type { JsonValue } from '../../base/json/json.ts'
import type { Token, TokenizedPayload } from '../../contract/types.ts'
import type { OpenedRecord } from '../../storage/records/sealed.ts'
import { showOriginal } from '../deduplicate.ts'
import type { Draft } from '../draft.ts'
import { liveToken } from '../read.ts'
import { atMostMasked, showToken } from '../show.ts'
import { isExpired, type TokenRecord } from '../token.ts'
import { type TenantTokens, type TokensContext, tokensOf } from '../tokens-context.ts'
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
  context: TokensContext,
  caller: Caller,
  { shape, tokens }: RecordedTokens,
  options: ShowRecordedOptions = {},
): Promise<TokenizedPayload> {
  const own = await tokensOf(context, caller)
  const live = await liveRecords(own, tokens)
  const shown: JsonValue[] = []
  for (const [index, token] of tokens.entries()) {
    if (index % tokensPerTurn === tokensPerTurn - 1) await nextTurn()
    const record = live.get(token.id)
    if (record) shown.push(await showOne(own, caller, token, record, options))
    else if (options.gone === null) shown.push(null)
    else
      throw new ServiceError(
        'not_found',
        'a token of the answer that this idempotency key stands for is gone',
      )
  }
  return fillShape(shape, shown) as TokenizedPayload
}

/** Like `showRecorded`, for an answer that is one token. */
export async function showRecordedToken(
  context: TokensContext,
  caller: Caller,
  recorded: RecordedTokens,
): Promise<Token> {
  return (await showRecorded(context, caller, recorded)) as unknown as Token
}

async function showOne(
  context: TenantTokens,
  caller: Caller,
  { id, as, wanted }: RecordedToken,
  record: OpenedRecord<TokenRecord>,
  { asksPermission = true }: ShowRecordedOptions,
): Promise<JsonValue> {
  const transform = asksPermission ? demand(caller, 'token:create', wanted ?? record.value) : 'mask'
  if (as === 'original' && asksPermission) demand(caller, 'token:create', record.value)
  if (as === 'id') return id
  const token =
    as === 'original'
      ? await showOriginal(context, caller, record)
      : showToken(context, await liveToken(context, record), atMostMasked(transform))
  return token as unknown as JsonValue
}

async function liveRecords(context: TenantTokens, tokens: readonly RecordedToken[]) {
  const ids = [...new Set(tokens.map(({ id }) => id))]
  const records = await context.store.getMany<TokenRecord>('token', ids)
  const nowUs = context.nowUs()
  const live = records.flatMap(record => (record && !isExpired(record.value, nowUs) ? [record] : []))
  return new Map(live.map(record => [record.value.id, record]))
}
