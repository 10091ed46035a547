import type { Caller } from '../access/caller.ts'
import { countUse } from '../access/uses.ts'
import { auditEntry } from '../audit/entries.ts'
import type { JsonObject } from '../base/json.ts'
import { tenantStore } from '../formulas/context.ts'
import type { Write, Written } from '../storage/port.ts'
import { refuseRivalReceipt } from '../storage/records/companion.ts'
import { castConfiguration } from './configuration.ts'
import type { ReactorsContext } from './context.ts'
import { applicationPart, formulaPart, unchanged } from './parts.ts'
import { type Reactor, type ReactorRecord, reactorShower } from './reactor.ts'

export interface CreateReactorInput {
  readonly name: string
  readonly configuration: JsonObject
  readonly formula: { readonly id: string }
  readonly application?: { readonly id: string } | null
}

/**
 * @param companion writes that belong into the same commit, made from the id
 * @throws {ServiceError} validation, idempotency_conflict
 */
export async function createReactor(
  context: ReactorsContext,
  caller: Caller,
  input: CreateReactorInput,
  companion: (id: string) => readonly Write[] = () => [],
): Promise<Reactor> {
  const store = await tenantStore(context, caller.tenant)
  const id = context.random.uuid()
  for (;;) {
    const found = await formulaPart(context, store, input.formula.id)
    const formula = found.record.value
    const application = await applicationPart(store, input.application?.id)
    const value: ReactorRecord = {
      id,
      name: input.name,
      formula: formula.id,
      ...(application.id === undefined ? {} : { application: application.id }),
      configuration: castConfiguration(formula.configuration, input.configuration),
      created_by: caller.application,
    }
    const own = [
      store.insert('reactor', value),
      ...unchanged(found),
      ...application.unchanged,
      ...(found.store ? await countUse(found.store, 'formula', formula.id, 1) : []),
      ...(application.id === undefined ? [] : await countUse(store, 'application', application.id, 1)),
      auditEntry(store, context.random, {
        operation: 'reactor:create',
        entity_type: 'reactor',
        entity_id: id,
        actor: caller.application,
      }),
    ]
    const result = await context.store.commit([...own, ...companion(id)], context.nowUs())
    if (result.ok) return reactorShower(context, store, found)({ value, ...(result.written[0] as Written) })
    // A part of it changed, or another reactor was counted: what there is now is looked at again.
    refuseRivalReceipt(result.conflict, own)
  }
}
