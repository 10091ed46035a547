import type { AuditedAction } from '../audit/entries.ts'

/** Who acts: a caller, or the system itself where there is no application. */
export interface Actor {
  readonly application: string | null
  readonly session?: string | undefined
}

/** What was done to a token, as the audit log has it: the id, never what the token holds. */
export function tokenAction(
  operation: string,
  id: string,
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
