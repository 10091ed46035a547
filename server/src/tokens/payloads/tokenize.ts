import { requirePermission } from '../../access/caller.ts'
import type { JsonValue } from '../../base/json/json.ts'
import { joinPaths } from '../../base/json/member-path.ts'
import type { TokenizedPayload } from '../../contract/types.ts'
import type { Conflict } from '../../storage/port/port.ts'
import { type Receipt, transact } from '../../storage/port/transact.ts'
import type { OpenedRecord } from '../../storage/records/records.ts'
import { deduplicate, showDuplicated, showOriginal } from '../deduplicate.ts'
import { asLive, type Draft, type DraftWrites, draftWrites, isTakenIdFinal, takenIds } from '../draft.ts'
import { eraseExpired } from '../erase.ts'
import { atMostMasked, showToken } from '../show.ts'
import { isExpired, type TokenRecord } from '../token.ts'
import type { TenantTokens } from '../token-parts.ts'
import {
  drawAnotherId,
  fillShape,
  makeIdsDistinct,
  type Planned,
  planTokens,
  readPayload,
} from './plan-tokens.ts'
import { type RecordedToken, type RecordedTokens, recordedToken, tokensPerTurn } from './recorded-tokens.ts'

interface TokenizeOptions {
  /**
   * `false` for the outcome of a formula: its tokens belong to the caller, who need not hold `token:create`, and are
   * shown masked.
   */
  readonly asksPermission?: boolean
  /** Keeps which tokens were made, in the same commit. */
  readonly receipt?: Receipt<RecordedTokens> | undefined
}

/**
 * Makes all the tokens that a payload asks for in one commit, as if they were created one after another, or
 * makes none of them. Returns the payload with the tokens in their places.
 * @throws {ServiceError} validation, permission_denied, conflict
 */
// Requirements: TKZ-502
export async function tokenize(
  tokens: TenantTokens,
  payload: JsonValue,
  { asksPermission = true, receipt }: TokenizeOptions = {},
): Promise<TokenizedPayload> {
  const { shape, requested } = readPayload(payload, tokens.parts.dialect)
  const planned = await planTokens(tokens, requested)
  return transact<TokenizedPayload, RecordedTokens>(
    tokens.store,
    tokens,
    async () => {
      await makeIdsDistinct(tokens, planned)
      const transforms = planned.map(({ draft }) =>
        asksPermission
          ? atMostMasked(requirePermission(tokens.caller, 'token:create', draft.record))
          : 'mask',
      )
      const found = await Promise.all(
        planned.map(({ draft }) => deduplicate(tokens, 'token:create', draft.record)),
      )
      const originals = found.map(({ original }) => original)
      const fresh = planned.filter((one, index) => !originals[index] && !one.duplicateOf)
      // Several tokens of one payload may share a claim.
      const claims = new Map(found.flatMap(one => one.claims.map(claim => [claim.id, claim])))
      const writes = new Map(fresh.map(({ draft }) => [draft, draftWrites(tokens, draft)]))
      return {
        writes: [...[...writes.values()].flatMap(({ all }) => all), ...claims.values()],
        recorded: { shape, tokens: planned.map((one, index) => keptOf(one, originals[index])) },
        result: async written => {
          const live = (draft: Draft) => asLive(draft, written((writes.get(draft) as DraftWrites).token))
          const shown: unknown[] = []
          for (const [index, { request, draft, duplicateOf }] of planned.entries()) {
            if (index % tokensPerTurn === tokensPerTurn - 1) await tokens.pass()
            const original = originals[index]
            if (original) shown.push(await showOriginal(tokens, original))
            else if (duplicateOf) shown.push(showDuplicated(tokens, live(duplicateOf.draft)))
            else if (request.bare) shown.push(draft.record.id)
            else shown.push(showToken(tokens, live(draft), transforms[index] ?? 'redact'))
          }
          return fillShape(shape, shown as JsonValue[]) as TokenizedPayload
        },
        onConflict: conflict => resolveConflict(tokens, fresh, conflict),
      }
    },
    receipt,
  )
}

function keptOf(
  { request, draft, duplicateOf }: Planned,
  original: OpenedRecord<TokenRecord> | undefined,
): RecordedToken {
  const recorded = recordedToken(draft, original?.value.id ?? duplicateOf?.draft.record.id)
  return recorded.as === 'created' && request.bare ? { id: recorded.id, as: 'id' } : recorded
}

/**
 * Returns if another attempt may succeed. A conflict names only the first token whose id is taken. All of them are
 * resolved at once, or a hundred aliases would take a hundred attempts.
 * @throws {ServiceError} conflict, for literal ids that are taken
 */
async function resolveConflict(
  tokens: TenantTokens,
  fresh: readonly Planned[],
  conflict: Conflict,
): Promise<void> {
  if (conflict.reason !== 'exists') return
  const ids = fresh.map(({ draft }) => draft.record.id)
  const holders = await tokens.store.getMany<TokenRecord>('token', ids)
  const refused: string[] = []
  for (const [index, planned] of fresh.entries()) {
    const holder = holders[index]
    if (!holder) continue
    if (isExpired(holder.value, tokens.nowUs())) await eraseExpired(tokens, holder)
    else if (isTakenIdFinal(tokens, planned.request.input.id ?? undefined)) {
      refused.push(joinPaths(planned.request.path, 'id'))
    } else await drawAnotherId(tokens, planned)
  }
  if (refused.length > 0) throw takenIds(refused)
}
