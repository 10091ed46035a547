import { type Caller, demand } from '../access/caller.ts'
import type { JsonValue } from '../base/json.ts'
import { joinPaths } from '../base/member-path.ts'
import { nextTurn } from '../base/turn.ts'
import type { Conflict, Write, Written } from '../storage/port.ts'
import { refuseRivalReceipt } from '../storage/records/companion.ts'
import type { OpenedRecord, TenantStore } from '../storage/records/sealed.ts'
import { type TokensContext, tenantStore } from './context.ts'
import { evictExpiredHolder, findOriginal, showDoubled, showOriginal } from './deduplicate.ts'
import { asLive, type Draft, draftWrites } from './draft.ts'
import { eraseExpired } from './erase.ts'
import { isTakenIdFinal, takenIds } from './id.ts'
import { type KeptToken, type KeptTokens, shownPerTurn } from './kept-tokens.ts'
import { fillShape, readPayload } from './payload.ts'
import { type Planned, planTokens, rename, setApart } from './plan.ts'
import { atMostMasked, showToken } from './show.ts'
import { isExpired, type TokenRecord } from './token.ts'

export interface TokenizeOptions {
  /**
   * `false` for what a reactor gives back: its tokens belong to the caller, who need not hold `token:create`.
   * They are shown masked.
   */
  readonly asksPermission?: boolean
  /** Writes that belong into the same commit. It may be called several times; the last call is the one that counts. */
  readonly companion?: (kept: KeptTokens) => readonly Write[]
}

/**
 * Makes all the tokens that a payload asks for in one commit, as if they were created one after another, or
 * makes none of them. Answers the payload with the tokens in their places.
 * @throws {ServiceError} validation, permission_denied, conflict
 */
// Requirements: TKZ-502
export async function tokenize(
  context: TokensContext,
  caller: Caller,
  payload: JsonValue,
  { asksPermission = true, companion = () => [] }: TokenizeOptions = {},
): Promise<JsonValue> {
  const store = await tenantStore(context, caller)
  const { shape, wishes } = readPayload(payload)
  const planned = await planTokens(context, store, caller, wishes)
  for (;;) {
    await setApart(context, planned)
    const transforms = planned.map(({ draft }) =>
      asksPermission ? atMostMasked(demand(caller, 'token:create', draft.record)) : 'mask',
    )
    const originals = await Promise.all(planned.map(one => originalOf(context, store, one)))
    const fresh = planned.filter((one, index) => !originals[index] && !one.twin)
    const tokens = planned.map((one, index) => keptOf(one, originals[index]))
    const own = fresh.map(({ draft }) => draftWrites(context, store, caller, draft))
    const result = await commitAll(context, store, [...own, companion({ shape, tokens })])
    if (result.ok) {
      const written = new Map(fresh.map(({ draft }, index) => [draft, result.written[index] as Written]))
      const live = (draft: Draft) => asLive(draft, written.get(draft) as Written)
      const shown: unknown[] = []
      for (const [index, { wish, draft, twin }] of planned.entries()) {
        if (index % shownPerTurn === shownPerTurn - 1) await nextTurn()
        const original = originals[index]
        if (original) shown.push(await showOriginal(context, store, caller, original))
        else if (twin) shown.push(showDoubled(context, store, caller, live(twin.draft)))
        else if (wish.bare) shown.push(draft.record.id)
        else shown.push(showToken(context, store.tenant, live(draft), transforms[index] ?? 'redact'))
      }
      return fillShape(shape, shown as JsonValue[])
    }
    refuseRivalReceipt(result.conflict, own.flat())
    await makeWay(context, store, fresh, result.conflict)
  }
}

function keptOf({ wish, draft, twin }: Planned, original: OpenedRecord<TokenRecord> | undefined): KeptToken {
  const { id, containers } = draft.record
  const first = original?.value.id ?? twin?.draft.record.id
  if (first !== undefined) return { id: first, as: 'original', wanted: { id, containers } }
  return { id, as: wish.bare ? 'id' : 'created' }
}

/** Commits groups of writes in one step. Returns what was written of the first document of each group. */
async function commitAll(context: TokensContext, store: TenantStore, groups: readonly (readonly Write[])[]) {
  const writes = groups.flat()
  // A payload of nothing, or of nothing new.
  if (writes.length === 0) return { ok: true, written: [] } as const
  const result = await store.commit(writes, context.nowUs())
  if (!result.ok) return result
  let position = 0
  const written = groups.map(group => {
    const first = result.written[position]
    position += group.length
    return first
  })
  return { ok: true, written } as const
}

async function originalOf(context: TokensContext, store: TenantStore, { draft }: Planned) {
  const { deduplicate_token, fingerprint } = draft.record
  return deduplicate_token && fingerprint ? findOriginal(store, fingerprint, context.nowUs()) : undefined
}

/**
 * Returns where another attempt may succeed. A conflict names only the first token in the way; all of them are
 * looked for, or a hundred aliases would take a hundred attempts.
 * @throws {ServiceError} conflict, for ids that are taken
 */
async function makeWay(
  context: TokensContext,
  store: TenantStore,
  fresh: readonly Planned[],
  conflict: Conflict,
): Promise<void> {
  if (conflict.holder) await evictExpiredHolder(context, store, conflict.holder)
  if (conflict.reason !== 'exists') return
  const ids = fresh.map(({ draft }) => draft.record.id)
  const holders = await store.getMany<TokenRecord>('token', ids)
  const refused: string[] = []
  for (const [index, planned] of fresh.entries()) {
    const holder = holders[index]
    if (!holder) continue
    if (isExpired(holder.value, context.nowUs())) await eraseExpired(context, store, holder)
    else if (isTakenIdFinal(context, planned.wish.input.id ?? undefined)) {
      refused.push(joinPaths(planned.wish.path, 'id'))
    } else await rename(context, planned)
  }
  if (refused.length > 0) throw takenIds(refused)
}
