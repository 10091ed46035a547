import type { Delegation } from '../access/delegation.ts'
import { invalid, ServiceError } from '../base/errors.ts'
import type { JsonObject, JsonValue } from '../base/json/json.ts'
import type { ReactorConfiguration, ReactRequest } from '../contract/types.ts'
import { refuseSuspects } from '../contract/validators.ts'
import { type FormulaRecord, isRunnable } from '../formulas/formula.ts'
import { limits } from '../generated/facts.ts'
import type { TenantRecords } from '../storage/records/records.ts'
import { demandReferences, resolveReferences } from '../tokens/payloads/detokenize.ts'
import { castConfiguration, fitArguments, type ReactArguments } from './arguments.ts'
import { existingReactor, formulaOfReactor, type ReactorRecord } from './reactor.ts'
import type { TenantReactors } from './reactor-parts.ts'
import { undeclaredArguments } from './undeclared.ts'

/** A requested invocation. */
export interface ReactInput {
  readonly reactor: string
  /** With expressions. */
  readonly args: JsonValue
  /** True if texts in `args` are data: nothing in them is an expression. */
  readonly areResolved?: boolean
  /** The number of formulas that wait for this one; 0 for requests from outside. */
  readonly depth: number
  readonly traceId: string
}

/** A valid invocation, ready to run. It contains data of tokens. */
export interface Prepared {
  readonly reactor: ReactorRecord
  readonly formula: FormulaRecord
  readonly configuration: ReactorConfiguration
  readonly args: ReactArguments
  /** The identity of the formula's client; absent if the reactor has no application. */
  readonly delegation: Delegation | undefined
}

/**
 * Checks everything about an invocation before any code runs: the reactor, its configuration, the tokens and the caller's
 * right to each of them, the arguments.
 *
 * @throws {ServiceError} not_found, validation, detokenize_failed, permission_denied, unprocessable
 */
export async function prepare(
  reactors: TenantReactors,
  { reactor: id, args, areResolved = false, depth, traceId }: ReactInput,
): Promise<Prepared> {
  const { parts, caller, store } = reactors
  const { value: reactor } = await existingReactor(store, id)
  if (depth > limits.formulaDepth) {
    throw new ServiceError(
      'validation',
      `invocations are nested too deep: at most ${limits.formulaDepth} formulas may wait for this one`,
    )
  }
  const { value: formula } = (await formulaOfReactor(parts, caller.tenant, reactor)).record
  // Requirements: FOR-502
  if (!isRunnable(formula))
    throw new ServiceError('unprocessable', 'the formula is coming soon: it has no code yet')
  const configuration = castConfiguration(
    formula.configuration,
    reactor.configuration as JsonObject,
    "the reactor's configuration no longer fits its formula; update the reactor",
  )
  // The members of a proxied request are not the caller's choice.
  if (!areResolved) reportUndeclared(reactors, formula, args)
  const resolved = areResolved ? args : await resolveReferences(parts.tokens.of(caller), args, 'raw', 'args')
  return {
    reactor,
    formula,
    configuration,
    // Requirements: INV-015
    args: fitArguments(formula.request_parameters, resolved),
    delegation: delegationOf(store, reactor, depth + 1, traceId),
  }
}

/** Refuses undeclared arguments, or says that they are removed. @throws {ServiceError} validation */
function reportUndeclared({ parts, caller }: TenantReactors, formula: FormulaRecord, args: JsonValue): void {
  const { strict, undeclared } = parts
  if (!strict && !undeclared.isHeard) return
  const found = undeclaredArguments(formula.request_parameters, args)
  if (strict) refuseSuspects(found)
  if (found.length > 0) undeclared.publish({ caller, found })
}

/**
 * Checks the rights to an invocation that was answered before: its reactor must exist, and the caller must hold
 * `token:use` for each token in its arguments that still exists. The formula may have deleted some of them.
 *
 * @throws {ServiceError} not_found, permission_denied
 */
export async function demandReaction(
  reactors: TenantReactors,
  { reactor, args }: Pick<ReactInput, 'reactor' | 'args'>,
): Promise<void> {
  const { parts, caller, store } = reactors
  await existingReactor(store, reactor)
  await demandReferences(parts.tokens.of(caller), args, 'args')
}

// Requirements: INV-019, INV-020
function delegationOf(
  store: TenantRecords,
  { application }: ReactorRecord,
  depth: number,
  traceId: string,
): Delegation | undefined {
  if (application === undefined) return undefined
  const secret = store.publicDigest('formula client', application)
  return { tenant: store.tenant, application, depth, traceId, secret }
}

/** Returns callback and timeout of an asynchronous invocation; `undefined` for one that the caller waits for. @throws {ServiceError} validation */
// Requirements: INV-024
export function readCallback({ callback_url, timeout_ms }: ReactRequest) {
  if (typeof callback_url === 'string') {
    return { callbackUrl: callback_url, timeoutMs: timeout_ms ?? limits.formulaTime }
  }
  if (typeof timeout_ms === 'number')
    throw invalid('timeout_ms', 'may be given only together with callback_url')
  return undefined
}
