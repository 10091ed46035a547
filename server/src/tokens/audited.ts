import type { AuditedAction } from '../audit/entries.ts'

/** A caller, or the system itself if there is no application. */
export interface Actor {
  readonly application: string | null
  readonly session?: string | undefined
}

/** Describes an action on a token for the audit log: its id, never its contents. */
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
