import type { ApplicationRecord } from '../access/application.ts'
import { changeUsageCount } from '../access/usage-counts.ts'
import { entriesOf } from '../audit/entries.ts'
import { invalid } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import { mergePatch } from '../base/json/merge-patch.ts'
import type {
  CreateReactorRequest,
  PatchReactorRequest,
  Reactor,
  UpdateReactorRequest,
} from '../contract/types.ts'
import type { FoundFormula } from '../formulas/find.ts'
import type { Write } from '../storage/port/port.ts'
import {
  type Attempt,
  giveUpOn,
  type Receipt,
  type RecordedEntity,
  transact,
} from '../storage/port/transact.ts'
import type { OpenedRecord, TenantRecords } from '../storage/records/records.ts'
import { castConfiguration } from './arguments.ts'
import { existingReactor, formulaOfReactor, type ReactorRecord, reactorShower } from './reactor.ts'
import type { TenantReactors } from './reactor-parts.ts'

const reactorEntry = entriesOf('reactor')

/** @throws {ServiceError} validation, idempotency_conflict */
export async function createReactor(
  reactors: TenantReactors,
  input: CreateReactorRequest,
  receipt?: Receipt<RecordedEntity>,
  id?: string,
): Promise<Reactor> {
  const { parts, caller, store } = reactors
  const attempt = async (number: number) => {
    giveUpOn(id, number)
    // Requirements: REA-003
    const found = await parts.formulas.find(store.tenant, input.formula.id)
    if (!found) throw invalid('formula.id', 'must be the id of an existing formula')
    return storing(reactors, found, input, id ?? parts.random.uuid())
  }
  const created = await parts.changes.run(caller, () =>
    transact(parts.records, parts.clock, attempt, receipt),
  )
  parts.warmSandbox(store.tenant)
  return created
}

/** @throws {ServiceError} validation, not_found, idempotency_conflict */
// Requirements: REA-009, REA-017, REA-540
export function updateReactor(
  reactors: TenantReactors,
  id: string,
  input: UpdateReactorRequest,
  receipt?: Receipt<RecordedEntity>,
): Promise<Reactor> {
  return change(reactors, id, () => input, receipt)
}

/** Applies a JSON merge patch, and validates the result as a whole. @throws {ServiceError} like `updateReactor` */
export async function patchReactor(
  reactors: TenantReactors,
  id: string,
  { name, configuration, application }: PatchReactorRequest,
  receipt?: Receipt<RecordedEntity>,
): Promise<void> {
  const known = Object.fromEntries(
    Object.entries({ name, configuration, application }).filter(([, value]) => value !== undefined),
  ) as JsonObject
  const patched = (current: ReactorRecord) => {
    const given: JsonValue = {
      name: current.name,
      configuration: current.configuration as JsonObject,
      ...(current.application === undefined ? {} : { application: { id: current.application } }),
    }
    return mergePatch(given, known) as unknown as UpdateReactorRequest
  }
  await change(reactors, id, patched, receipt)
}

/** Removes a reactor. Its formula and application can be deleted then. @throws {ServiceError} not_found */
// Requirements: REA-015
export async function deleteReactor(reactors: TenantReactors, id: string): Promise<void> {
  const { parts, caller, store } = reactors
  const attempt = async () => {
    const { value, version } = await existingReactor(store, id)
    const formula = await parts.formulas.find(caller.tenant, value.formula)
    return {
      writes: [
        store.remove('reactor', value.id, version),
        ...(await usageChanges(store, formula, value, undefined)),
        reactorEntry(parts, store, 'reactor:delete', value.id, caller.application),
      ],
      result: () => {},
    }
  }
  await parts.changes.run(caller, () => transact(parts.records, parts.clock, attempt))
}

// Requirements: REA-014, REA-016
async function change(
  reactors: TenantReactors,
  id: string,
  next: (current: ReactorRecord) => UpdateReactorRequest,
  receipt?: Receipt<RecordedEntity>,
): Promise<Reactor> {
  const { parts, caller, store } = reactors
  const attempt = async () => {
    const current = await existingReactor(store, id)
    const input = next(current.value)
    const found = await formulaOfReactor(parts, store.tenant, current.value)
    if (input.application && input.application.id === undefined) throw invalid('application.id', 'is missing')
    return storing(reactors, found, input, current)
  }
  return parts.changes.run(caller, () => transact(parts.records, parts.clock, attempt, receipt))
}

/**
 * Returns the writes that create a reactor on a formula, or replace one.
 * @param before the reactor to replace, or the id of a new one
 * @throws {ServiceError} validation
 */
async function storing(
  reactors: TenantReactors,
  found: FoundFormula,
  { name, configuration, application: named }: UpdateReactorRequest,
  before: OpenedRecord<ReactorRecord> | string,
): Promise<Attempt<Reactor, RecordedEntity>> {
  const { parts, caller, store } = reactors
  const formula = found.record.value
  const application = await applicationPart(store, named?.id)
  const current = typeof before === 'string' ? undefined : before
  const { id, created_by } =
    typeof before === 'string' ? { id: before, created_by: caller.application } : before.value
  const value: ReactorRecord = {
    id,
    name,
    formula: formula.id,
    ...(application.id === undefined ? {} : { application: application.id }),
    configuration: castConfiguration(formula.configuration, configuration ?? {}),
    created_by,
    ...(current ? { modified_by: caller.application } : {}),
  }
  const write = current ? store.replace('reactor', current.version, value) : store.insert('reactor', value)
  const operation = current ? 'reactor:update' : 'reactor:create'
  return {
    writes: [
      write,
      // The formula and the application must be unchanged at the commit.
      ...(found.store ? [found.store.expect('formula', formula.id, found.record.version)] : []),
      ...application.unchanged,
      ...(await usageChanges(store, found, current?.value, value)),
      reactorEntry(parts, store, operation, id, caller.application),
    ],
    recorded: { entity: id },
    result: written => reactorShower(parts, store, found)({ value, ...written(write) }),
  }
}

/** Returns the writes that change the usage counts of the formula and applications of a reactor. */
async function usageChanges(
  store: TenantRecords,
  formula: FoundFormula | undefined,
  before: ReactorRecord | undefined,
  after: ReactorRecord | undefined,
): Promise<Write[]> {
  const writes: Write[] = []
  if (formula?.store && !(before && after)) {
    writes.push(await changeUsageCount(formula.store, 'formula', formula.record.value.id, after ? 1 : -1))
  }
  return [...writes, ...(await applicationUseChanges(store, before?.application, after?.application))]
}

/** Returns the writes that change the usage counts of an application that is used no more, and of one that is now. */
async function applicationUseChanges(
  store: TenantRecords,
  before: string | undefined,
  after: string | undefined,
): Promise<Write[]> {
  if (before === after) return []
  const writes: Write[] = []
  for (const [by, id] of [[-1, before] as const, [1, after] as const]) {
    if (id !== undefined) writes.push(await changeUsageCount(store, 'application', id, by))
  }
  return writes
}

/** Finds the application that a request names, with the condition that it is unchanged at the commit. @throws {ServiceError} validation */
// Requirements: REA-006
async function applicationPart(store: TenantRecords, id: string | undefined) {
  if (id === undefined) return { id: undefined, unchanged: [] }
  const record = await store.get<ApplicationRecord>('application', id.toLowerCase())
  if (!record) throw invalid('application.id', 'must be the id of an existing application')
  if (record.value.type === 'management')
    throw invalid('application.id', 'must be the id of a public or private application')
  return { id: record.value.id, unchanged: [store.expect('application', record.value.id, record.version)] }
}
