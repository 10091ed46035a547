import type { Caller } from '../access/caller.ts'
import { delegatedCaller } from '../access/delegation.ts'
import { proxyOfKey } from '../access/keys.ts'
import { ServiceError } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import { limits } from '../generated/facts.ts'
import { refusalOf } from '../reactors/outcome.ts'
import { delegationOf } from '../reactors/prepare.ts'
import { runCode } from '../reactors/react.ts'
import type { ReactorsContext } from '../reactors/reactors-context.ts'
import type { TenantStore } from '../storage/records/sealed.ts'
import type { Reaction } from '../webhooks/reaction.ts'
import type { ProxyRecord } from './stored.ts'

/** A stored proxy that a request names by its key. */
export interface NamedProxy {
  readonly store: TenantStore
  readonly value: ProxyRecord
}

/** Says nothing of whether another tenant has such a proxy. */
export const unknownProxy = () =>
  new ServiceError('unauthenticated', 'the key of the proxy is unknown; create another proxy')

/** @throws {ServiceError} unauthenticated */
// Requirements: PRX-502, PRX-503
export async function proxyByKey(context: ReactorsContext, key: string): Promise<NamedProxy> {
  const found = await proxyOfKey(context.store, key, context.nowUs())
  const record = await found?.store.get<ProxyRecord>('proxy', found.proxy)
  if (!found || !record) throw unknownProxy()
  return { store: found.store, value: record.value }
}

/**
 * Returns the application of a proxy as a caller, with its present rights. Without an application it is a caller without
 * any rights, with the id of the proxy.
 *
 * @throws {ServiceError} unauthenticated, if the application has expired
 */
// Requirements: PRX-504
export async function callerOfProxy(
  context: ReactorsContext,
  { store: { tenant }, value: { id, application } }: NamedProxy,
): Promise<Caller> {
  if (application === undefined)
    return { tenant, application: id, type: 'private', rights: { permissions: [], rules: [] } }
  const caller = await delegatedCaller(context.store, { tenant, application }, context.nowUs(tenant))
  if (caller) return caller
  throw new ServiceError('unauthenticated', "the proxy's application is gone or expired")
}

/** Runs a transform of a proxy. @throws {ServiceError} the refusal or failure of its code */
// Requirements: PRX-506
export async function runTransform(
  context: ReactorsContext,
  caller: Caller,
  { store, value }: NamedProxy,
  { code, traceId }: { readonly code: string; readonly traceId: string },
  args: JsonObject,
): Promise<Reaction> {
  const { outcome, printed } = await runCode(
    context,
    caller,
    {
      reactor: value,
      formula: { code },
      configuration: value.configuration,
      args,
      delegation: delegationOf(store, value, 1, traceId),
    },
    { timeoutMs: limits.formulaTime, lane: 'sync', depth: 0, isTransform: true },
  )
  if (outcome.kind !== 'answered' && outcome.kind !== 'custom') throw refusalOf(outcome, printed)
  return outcome
}
