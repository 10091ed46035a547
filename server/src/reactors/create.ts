import type { Caller } from '../access/caller.ts'
import { changeUsageCount } from '../access/usage-counts.ts'
import type { CreateReactorRequest, Reactor } from '../contract/types.ts'
import { tenantStore } from '../formulas/context.ts'
import { type KeptEntity, type Receipt, transact } from '../storage/transact.ts'
import { castConfiguration } from './configuration.ts'
import type { ReactorsContext } from './context.ts'
import { applicationPart, formulaPart, reactorEntry, unchanged } from './parts.ts'
import { type ReactorRecord, reactorShower } from './reactor.ts'

/** @throws {ServiceError} validation, idempotency_conflict */
export async function createReactor(
  context: ReactorsContext,
  caller: Caller,
  input: CreateReactorRequest,
  receipt?: Receipt<KeptEntity>,
): Promise<Reactor> {
  const store = await tenantStore(context, caller.tenant)
  const id = context.random.uuid()
  return transact(
    context,
    async () => {
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
      const write = store.insert('reactor', value)
      return {
        writes: [
          write,
          ...unchanged(found),
          ...application.unchanged,
          ...(found.store ? await changeUsageCount(found.store, 'formula', formula.id, 1) : []),
          ...(application.id === undefined
            ? []
            : await changeUsageCount(store, 'application', application.id, 1)),
          reactorEntry(context, store, 'reactor:create', id, caller.application),
        ],
        kept: { entity: id },
        result: written => {
          context.warmSandbox()
          return reactorShower(context, store, found)({ value, ...written(write) })
        },
      }
    },
    receipt,
  )
}
