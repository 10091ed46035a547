import type { Caller } from '../access/caller.ts'
import type { AuditedAction } from '../audit/entries.ts'
import type { TokenPermission } from '../contract/types.ts'
import type { TokensContext } from './tokens-context.ts'

/** A caller, or the system itself if there is no application. */
export interface Actor {
  readonly application: string | null
  readonly session?: string | undefined
}

/** Describes an action on a token, or on several, for the audit log: the ids, never the contents. */
export function tokenAction(
  operation: string,
  id: string | readonly string[],
  actor: Actor,
  outcome: AuditedAction['outcome'] = 'success',
): AuditedAction {
  return {
    operation,
    entity_type: 'token',
    entity_id: id,
    actor: actor.application,
    session: actor.session,
    outcome,
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
