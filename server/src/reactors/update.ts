import type { Caller } from '../access/caller.ts'
import { changeUsageCount } from '../access/usage-counts.ts'
import { invalid } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json.ts'
import { mergePatch } from '../base/merge-patch.ts'
import type { PatchReactorRequest, Reactor, UpdateReactorRequest } from '../contract/types.ts'
import { tenantStore } from '../formulas/context.ts'
import type { Write } from '../storage/port.ts'
import { type KeptEntity, type Receipt, transact } from '../storage/transact.ts'
import { castConfiguration } from './configuration.ts'
import type { ReactorsContext } from './context.ts'
import { applicationPart, reactorEntry, unchanged } from './parts.ts'
import { existingReactor, formulaOfReactor, type ReactorRecord, reactorShower } from './reactor.ts'

/** @throws {ServiceError} validation, not_found, idempotency_conflict */
// Requirements: REA-009
export function updateReactor(
  context: ReactorsContext,
  caller: Caller,
  id: string,
  input: UpdateReactorRequest,
  receipt?: Receipt<KeptEntity>,
): Promise<Reactor> {
  return change(context, caller, id, () => input, receipt)
}

/** Applies a JSON merge patch, and validates the result as a whole. @throws {ServiceError} like `updateReactor` */
export async function patchReactor(
  context: ReactorsContext,
  caller: Caller,
  id: string,
  patch: PatchReactorRequest,
  receipt?: Receipt<KeptEntity>,
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
    return mergePatch(given, known) as unknown as UpdateReactorRequest
  }
  await change(context, caller, id, patched, receipt)
}

// Requirements: REA-014, REA-016
async function change(
  context: ReactorsContext,
  caller: Caller,
  id: string,
  next: (current: ReactorRecord) => UpdateReactorRequest,
  receipt?: Receipt<KeptEntity>,
): Promise<Reactor> {
  const store = await tenantStore(context, caller.tenant)
  return transact(
    context,
    async () => {
      const current = await existingReactor(store, id)
      const input = next(current.value)
      const found = await formulaOfReactor(context, store.tenant, current.value)
      if (input.application && input.application.id === undefined)
        throw invalid('application.id', 'is missing')
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
      const write = store.replace('reactor', current.version, value)
      return {
        writes: [
          write,
          ...unchanged(found),
          ...application.unchanged,
          ...(await countMove(store, current.value.application, application.id)),
          reactorEntry(context, store, 'reactor:update', value.id, caller.application),
        ],
        kept: { entity: value.id },
        result: written => reactorShower(context, store, found)({ value, ...written(write) }),
      }
    },
    receipt,
  )
}

/** Returns the writes that change the usage counts if a reactor gets another application. */
async function countMove(
  store: Parameters<typeof changeUsageCount>[0],
  from: string | undefined,
  to: string | undefined,
): Promise<Write[]> {
  if (from === to) return []
  return [
    ...(from === undefined ? [] : await changeUsageCount(store, 'application', from, -1)),
    ...(to === undefined ? [] : await changeUsageCount(store, 'application', to, 1)),
  ]
}
