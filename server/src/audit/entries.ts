import { comparableId } from '../base/comparable-id.ts'
import type { Mutable } from '../base/mutable.ts'
import type { Random } from '../base/random.ts'
import type { LogEntityType, LogEntry } from '../contract/types.ts'
import type { Digest, Write } from '../storage/port/port.ts'
import type { OpenedRecord, RecordValue, TenantRecords } from '../storage/records/records.ts'

/** A stored entry of the audit log: what was done to what, and by whom. Never the contents of the thing. */
export interface AuditRecord {
  readonly id: string
  readonly operation: string
  readonly entity_type: LogEntityType
  /** Absent if it is not known that something has the requested id, or there are `entity_ids`. */
  readonly entity_id?: string
  /** Where one entry stands for several. */
  readonly entity_ids?: readonly string[]
  readonly actor_id: string | null
  readonly actor_type: LogEntry['actor_type']
  /** `refused`: the caller lacked the right, and nothing was done. `failed`: all attempts failed. */
  readonly outcome: LogEntry['outcome']
  /** The number of times it happened, if more than once. */
  readonly count?: number
  /** The version of the entity that this ended. Not shown: only `isSuperseded` reads it. */
  readonly superseded?: number
}

export interface AuditedAction {
  readonly operation: string
  readonly entity_type: LogEntityType
  /** Absent if it is not known that something has the requested id. Of an action on several, all ids, without duplicates. */
  readonly entity_id?: string | readonly string[]
  /** The application that acted; `null` for the system itself. */
  readonly actor: string | null
  /** Set if the application acted through a session, which the entry then names. */
  readonly session?: string | undefined
  readonly outcome?: AuditRecord['outcome']
  /** The number of times it happened, if more than once. */
  readonly count?: number
  /** The state of the entity that this ended, where earlier states must not come back unnoticed. */
  readonly superseded?: Superseded
}

/** A state of a record that a change has ended: it was replaced or removed. */
type Superseded = Pick<OpenedRecord<RecordValue>, 'createdUs' | 'version'>

/** The term of the entries about changes of one record, and not of another that had the id before or has it after. */
function changesTerm(store: TenantRecords, id: string, { createdUs }: Pick<Superseded, 'createdUs'>): Digest {
  return store.term('changes', `${createdUs} ${id}`)
}

/** Returns the ids of what an action was about, as far as they are known. */
export function idsOf({ entity_id = [] }: AuditedAction): readonly string[] {
  return typeof entity_id === 'string' ? [entity_id] : entity_id
}

/**
 * Makes the write that records an action, for the commit that does it.
 * @param place of an entry that may have been written before: its id, and `fresh` for the first attempt
 */
// Requirements: LOG-501
export function auditEntry(
  store: TenantRecords,
  random: Random,
  action: AuditedAction,
  place = { id: random.timedUuid(), fresh: true },
): Write {
  const { operation, entity_type, actor, session, outcome = 'success', count, superseded } = action
  const record: Mutable<AuditRecord> = {
    id: place.id,
    operation,
    entity_type,
    actor_id: session ?? actor,
    actor_type: actor === null ? 'system' : session === undefined ? 'application' : 'session',
    outcome,
  }
  const ids = idsOf(action)
  if (ids.length === 1) record.entity_id = ids[0] as string
  else if (ids.length > 1) record.entity_ids = ids
  if (count !== undefined) record.count = count
  const terms = [store.term('entity_type', entity_type)]
  for (const id of ids) terms.push(entityTerm(store, id))
  if (superseded) {
    record.superseded = superseded.version
    for (const id of ids) terms.push(changesTerm(store, id, superseded))
  }
  return store.insert('audit', record, { terms }, place.fresh)
}

/** Returns the term of the entries about a record. */
export function entityTerm(store: TenantRecords, id: string): Digest {
  return store.term('entity_id', comparableId(id))
}

/**
 * Returns a function that makes the writes which record successful actions on one kind of entity.
 * @returns its `actor` is the application that acted; `null` for the system itself
 */
export function entriesOf(entity_type: LogEntityType) {
  return (
    { random }: { readonly random: Random },
    store: TenantRecords,
    operation: string,
    entity_id: string,
    actor: string | null,
  ): Write => auditEntry(store, random, { operation, entity_type, entity_id, actor })
}

const mostEntries = 100

/**
 * True if the audit log says that this state of the record was replaced or removed: somebody has put an earlier one back,
 * which opens, as we sealed it. If that was changed since, two entries are about the same version. Asks the entries about
 * the last hundred changes.
 */
export async function isSuperseded(
  store: TenantRecords,
  record: OpenedRecord<RecordValue>,
): Promise<boolean> {
  const { records } = await store.findReadable<AuditRecord>(
    'audit',
    { op: 'term', term: changesTerm(store, record.value.id, record) },
    { nowMs: 0, offset: 0, limit: mostEntries },
  )
  const ended = records.map(({ value }) => value.superseded ?? 0)
  return ended.some(version => version >= record.version) || new Set(ended).size < ended.length
}
