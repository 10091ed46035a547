import type { Caller } from '../access/caller.ts'
import { tenantStore } from '../access/tenants.ts'
import type { AuditedAction } from '../audit/entries.ts'
import type { AuditRecorder } from '../audit/recorder.ts'
import type { TimeSlice } from '../base/flow/event-loop.ts'
import type { Random } from '../base/random.ts'
import type { RequestNotes } from '../base/request-notes.ts'
import type { Dialect } from '../contract/dialect.ts'
import type { TokenPermission } from '../contract/types.ts'
import type { ContractSchemas } from '../contract/validators.ts'
import type { Expressions } from '../expressions/engine.ts'
import type { SealedStore, TenantStore } from '../storage/records/sealed.ts'

/** Used by the verbs of this folder. */
export interface TokensContext {
  readonly store: SealedStore
  readonly random: Random
  readonly expressions: Expressions
  readonly schemas: ContractSchemas
  /** For actions that are audited although they change nothing. */
  readonly audit: Pick<AuditRecorder, 'record'>
  nowUs(): number
  /** True for a development server, which says why a search has found nothing. */
  readonly dev?: boolean
  /** Absent unless this is a development server. */
  readonly expired?: ExpiredTokens | undefined
  /** What is accepted beyond the contract. */
  readonly dialect?: Dialect | undefined
  /** Lets long work yield to other requests. */
  readonly slice: TimeSlice
  /** What `tokensOf` returns for a tenant. */
  readonly views: WeakMap<TenantStore, TenantTokens>
}

/** Remembers when tokens had expired that are erased, so that a 404 can say so. */
export interface ExpiredTokens {
  note(tenant: string, id: string, expiredMs: number): void
  /** Is called with the id of each token that is there. */
  forget(tenant: string, id: string): void
  /** Returns epoch milliseconds. */
  at(tenant: string, id: string): number | undefined
}

/** Used by work on the tokens of one tenant. */
export interface TenantTokens extends Omit<TokensContext, 'store'> {
  readonly store: TenantStore
  /** Those of the caller's request; absent unless this is a development server. */
  readonly notes?: RequestNotes | undefined
}

/** Returns a promise only if the tenant is not in memory yet. */
export function tokensOf(context: TokensContext, caller: Caller): TenantTokens | Promise<TenantTokens> {
  const store = context.store.opened(caller.tenant)
  if (store) return viewOf(context, store, caller)
  return tenantStore(context, caller.tenant).then(opened => viewOf(context, opened, caller))
}

/** Made once a tenant: objects of so many members, made for each request, would survive it for long. */
function viewOf(context: TokensContext, store: TenantStore, { notes }: Caller): TenantTokens {
  let view = context.views.get(store)
  if (!view) {
    view = { ...context, store }
    context.views.set(store, view)
  }
  return notes ? { ...view, notes } : view
}

/** A caller, or the system itself if there is no application. */
export interface Actor {
  readonly application: string | null
  readonly session?: string | undefined
}

/** Describes an action on a token, or on several, for the audit log: the ids, never the contents. */
export function tokenAction(operation: string, id: string | readonly string[], actor: Actor): AuditedAction {
  return {
    operation,
    entity_type: 'token',
    entity_id: id,
    actor: actor.application,
    session: actor.session,
  }
}

/**
 * Records that a request reveals tokens: one entry for all of them, as each would cost more than its token.
 *
 * @param ids at most as many as one request may name
 */
export async function recordReveal(
  { audit }: Pick<TokensContext, 'audit'>,
  caller: Caller,
  operation: TokenPermission,
  ids: Iterable<string>,
): Promise<void> {
  const revealed = [...ids]
  if (revealed.length > 0) await audit.record(caller.tenant, tokenAction(operation, revealed, caller))
}
