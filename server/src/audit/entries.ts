import type { Random } from '../base/random.ts'
import type { LogEntityType, LogEntry } from '../contract/types.ts'
import type { Write } from '../storage/port.ts'
import type { TenantStore } from '../storage/records/sealed.ts'

/** What happened to what, and who did it. Never what the thing held. */
export interface AuditRecord {
  readonly id: string
  readonly operation: string
  readonly entity_type: LogEntityType
  /** Absent where nothing is known to have the id that was asked for. */
  readonly entity_id?: string
  readonly actor_id: string | null
  readonly actor_type: LogEntry['actor_type']
  /** `refused`: the caller was not allowed to, and nothing was done. `failed`: it was tried, to no avail. */
  readonly outcome: LogEntry['outcome']
  /** How many times it happened, where that is more than once. */
  readonly count?: number
}

export interface AuditedAction {
  readonly operation: string
  readonly entity_type: LogEntityType
  /** Absent where nothing is known to have the id that was asked for. */
  readonly entity_id?: string
  /** The application that acted; `null` for the system itself. */
  readonly actor: string | null
  /** Set where the application acted through a session: then that is who the entry names. */
  readonly session?: string | undefined
  readonly outcome?: AuditRecord['outcome']
  /** How many times it happened, where that is more than once. */
  readonly count?: number
}

/**
 * The write that records an action; it goes into the commit that does it.
 * @param place of an entry that may have to be written again: its id, and whether this is the first time
 */
// Requirements: LOG-501
export function auditEntry(
  store: TenantStore,
  random: Random,
  action: AuditedAction,
  place = { id: random.uuid(), fresh: true },
): Write {
  const { operation, entity_type, entity_id, actor, session, outcome = 'success', count } = action
  const record: AuditRecord = {
    id: place.id,
    operation,
    entity_type,
    ...(entity_id === undefined ? {} : { entity_id }),
    actor_id: session ?? actor,
    actor_type: actor === null ? 'system' : session === undefined ? 'application' : 'session',
    outcome,
    ...(count === undefined ? {} : { count }),
  }
  const terms = [store.term('entity_type', entity_type)]
  if (entity_id !== undefined) terms.push(store.term('entity_id', entity_id))
  return store.insert('audit', record, { terms }, place.fresh)
}
