import type { Caller } from '../access/caller.ts'
import { countUse } from '../access/uses.ts'
import { auditEntry } from '../audit/entries.ts'
import { invalid } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json.ts'
import { mergePatch } from '../base/merge-patch.ts'
import { tenantStore } from '../formulas/context.ts'
import type { Write, Written } from '../storage/port.ts'
import { refuseRivalReceipt } from '../storage/records/companion.ts'
import { castConfiguration } from './configuration.ts'
import type { ReactorsContext } from './context.ts'
import { applicationPart, unchanged } from './parts.ts'
import {
  existingReactor,
  formulaOfReactor,
  type Reactor,
  type ReactorRecord,
  reactorShower,
} from './reactor.ts'

/** What a reactor is to be; its formula stays. */
export interface UpdateReactorInput {
  readonly name: string
  readonly configuration: JsonObject
  readonly application?: { readonly id?: string } | null
}

/** Writes that belong into the same commit. */
type Companion = () => readonly Write[]

/** @throws {ServiceError} validation, not_found, idempotency_conflict */
// Requirements: REA-009
export function updateReactor(
  context: ReactorsContext,
  caller: Caller,
  id: string,
  input: UpdateReactorInput,
  companion?: Companion,
): Promise<Reactor> {
  return change(context, caller, id, () => input, companion)
}

/** Applies a JSON merge patch; the outcome is validated as a whole. @throws as `updateReactor` */
export async function patchReactor(
  context: ReactorsContext,
  caller: Caller,
  id: string,
  patch: JsonObject,
  companion?: Companion,
): Promise<void> {
  const { name, configuration, application } = patch
  const known = Object.fromEntries(
    Object.entries({ name, configuration, application }).filter(([, value]) => value !== undefined),
  ) as JsonObject
  const patched = (current: ReactorRecord) => {
    const given: JsonValue = {
      name: current.name,
      configuration: current.configuration as JsonObject,
      ...(current.application === undefined ? {} : { application: { id: current.application } }),
    }
    return mergePatch(given, known) as unknown as UpdateReactorInput
  }
  await change(context, caller, id, patched, companion)
}

// Requirements: REA-014, REA-016
async function change(
  context: ReactorsContext,
  caller: Caller,
  id: string,
  next: (current: ReactorRecord) => UpdateReactorInput,
  companion: Companion = () => [],
): Promise<Reactor> {
  const store = await tenantStore(context, caller.tenant)
  for (;;) {
    const current = await existingReactor(store, id)
    const input = next(current.value)
    const found = await formulaOfReactor(context, store.tenant, current.value)
    if (input.application && input.application.id === undefined) throw invalid('application.id', 'is missing')
    const application = await applicationPart(store, input.application?.id)
    const { formula, created_by } = current.value
    const value: ReactorRecord = {
      id: current.value.id,
      name: input.name,
      formula,
      ...(application.id === undefined ? {} : { application: application.id }),
      configuration: castConfiguration(found.record.value.configuration, input.configuration),
      created_by,
      modified_by: caller.application,
    }
    const own = [
      store.replace('reactor', current.version, value),
      ...unchanged(found),
      ...application.unchanged,
      ...(await countMove(store, current.value.application, application.id)),
      auditEntry(store, context.random, {
        operation: 'reactor:update',
        entity_type: 'reactor',
        entity_id: value.id,
        actor: caller.application,
      }),
    ]
    const result = await context.store.commit([...own, ...companion()], context.nowUs())
    if (result.ok) return reactorShower(context, store, found)({ value, ...(result.written[0] as Written) })
    refuseRivalReceipt(result.conflict, own)
  }
}

/** The writes that count a reactor's application where it was another one. */
async function countMove(
  store: Parameters<typeof countUse>[0],
  from: string | undefined,
  to: string | undefined,
): Promise<Write[]> {
  if (from === to) return []
  return [
    ...(from === undefined ? [] : await countUse(store, 'application', from, -1)),
    ...(to === undefined ? [] : await countUse(store, 'application', to, 1)),
  ]
}
