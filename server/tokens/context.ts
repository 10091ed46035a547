import type { Caller } from '../access/caller.ts'
import type { AuditRecorder } from '../audit/recorder.ts'
import { type FieldErrors, ServiceError } from '../base/errors.ts'
import type { JsonValue } from '../base/json.ts'
import type { Random } from '../base/random.ts'
import type { Turns } from '../base/turn.ts'
import type { Expressions } from '../expressions/engine.ts'
import type { SealedStore, TenantStore } from '../storage/sealed.ts'

/** The contract's schemas, for values that no request carried whole: merged and tokenized data. */
export interface ContractSchemas {
  /** What is wrong with the value, by path below `path`; empty when nothing is. */
  check(schema: string, value: JsonValue, path: string): FieldErrors
}

/** What the verbs of this folder work with. */
export interface TokensContext {
  readonly store: SealedStore
  readonly random: Random
  readonly expressions: Expressions
  readonly schemas: ContractSchemas
  /** For what changes nothing and yet is to be known. */
  readonly audit: Pick<AuditRecorder, 'record'>
  nowUs(): number
  /** For work that may hold up other requests. */
  turns(): Turns
}

export async function tenantStore(context: TokensContext, caller: Caller): Promise<TenantStore> {
  const store = await context.store.tenant(caller.tenant)
  if (!store) throw new Error('a caller without a tenant')
  return store
}

/** Refuses when there is anything in `errors`. @throws {ServiceError} validation */
export function refuseIfAny(errors: FieldErrors, detail: string): void {
  if (Object.keys(errors).length > 0) throw new ServiceError('validation', detail, { errors })
}
