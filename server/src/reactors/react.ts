import { type FieldErrors, ServiceError } from '../base/errors.ts'
import type { Pass } from '../base/flow/turns.ts'
import { JsonError, type JsonValue, parseJsonInTurns } from '../base/json/json.ts'
import { limits } from '../generated/facts.ts'
import type { Outcome } from '../sandbox/sandbox.ts'
import { type Receipt, transact } from '../storage/port/transact.ts'
import { tokenize } from '../tokens/payloads/tokenize.ts'
import type { Reaction, RecordedReaction } from '../webhooks/reaction.ts'
import { refusalOf } from './outcome.ts'
import { type Prepared, prepare, type ReactInput } from './prepare.ts'
import type { ReactorParts, TenantReactors } from './reactor-parts.ts'

/**
 * Invokes a reactor synchronously.
 *
 * @param receipt keeps the reaction, in the commit that makes its tokens
 * @throws {ServiceError} like `prepare` and `settle`; the refusal or failure of the formula
 */
// Requirements: INV-001
export async function react(
  reactors: TenantReactors,
  input: ReactInput,
  receipt?: Receipt<RecordedReaction>,
): Promise<Reaction> {
  const { parts, caller } = reactors
  const prepared = await prepare(reactors, input)
  // What the formula waits for needs none.
  parts.places.release(caller)
  const outcome = await run(reactors, prepared, {
    timeoutMs: limits.formulaTime,
    lane: 'sync',
    depth: input.depth,
  })
  if (outcome.kind !== 'answered' && outcome.kind !== 'custom') throw refusalOf(outcome)
  return settle(reactors, outcome, receipt)
}

interface RunOptions {
  readonly timeoutMs: number
  readonly lane: 'sync' | 'async'
  readonly depth: number
}

/** Records that a reactor is used, and runs the code of a valid invocation of it. */
export async function run(
  reactors: TenantReactors,
  { reactor, formula, configuration, args, delegation }: Prepared,
  options: RunOptions,
): Promise<Outcome> {
  const { parts, caller } = reactors
  await parts.audit.record(caller.tenant, {
    operation: 'token:use',
    entity_type: 'reactor',
    entity_id: reactor.id,
    actor: caller.application,
    session: caller.session,
  })
  // Requirements: INV-018
  return parts.sandbox.run({
    tenant: caller.tenant,
    application: caller.application,
    session: caller.session,
    reactor: reactor.id,
    caller,
    code: formula.code,
    args,
    configuration,
    svc: delegation ? parts.service(delegation) : null,
    ...options,
  })
}

/**
 * Makes the tokens that a formula has asked for, all of them or none. They belong to the caller, who need not hold
 * `token:create`.
 *
 * @param receipt keeps the reaction, in the same commit
 * @throws {ServiceError} reactor_runtime, validation, conflict, idempotency_conflict
 */
// Requirements: INV-002, INV-027, INV-506
export async function settle(
  reactors: TenantReactors,
  outcome: Extract<Outcome, { kind: 'answered' | 'custom' }>,
  receipt: Receipt<RecordedReaction> | undefined,
): Promise<Reaction> {
  const { parts, caller } = reactors
  if (outcome.kind === 'custom') return keep(parts, outcome, receipt)
  const raw = outcome.raw === undefined ? {} : { raw: outcome.raw }
  if (outcome.tokenize === undefined || outcome.tokenize === null) {
    return keep(parts, { kind: 'answered', ...raw } as const, receipt)
  }
  const payload = await keepable(outcome.tokenize, () => parts.turns.pass(caller))
  try {
    const tokens = await tokenize(parts.tokens.of(caller), payload, {
      asksPermission: false,
      receipt: receipt && (recorded => receipt({ kind: 'answered', tokens: recorded, ...raw })),
    })
    return { kind: 'answered', tokens, ...raw }
  } catch (error) {
    throw aboutTokenize(error)
  }
}

/** Commits the receipt of an answer that made no tokens. */
export function keep<T>(parts: ReactorParts, recorded: T, receipt?: Receipt<T>): Promise<T> {
  return transact(
    parts.records,
    parts.clock,
    async () => ({ writes: [], recorded, result: () => recorded }),
    receipt,
  )
}

/** Checks by the rules for request bodies that a value can be stored and read back unchanged. */
async function keepable(tokenized: JsonValue, pass: Pass): Promise<JsonValue> {
  try {
    return await parseJsonInTurns(JSON.stringify(tokenized), pass)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new ServiceError('reactor_runtime', `what the formula asked to tokenize ${error.message}`)
  }
}

/** Puts `tokenize` in front of the paths of a refusal. */
function aboutTokenize(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.errors === undefined) return error
  const errors: FieldErrors = {}
  for (const [path, messages] of Object.entries(error.errors)) {
    errors[path === 'body' || path === '' ? 'tokenize' : `tokenize.${path}`] = messages
  }
  const detail = `what the formula asked to tokenize is refused: ${error.message}`
  return new ServiceError(error.code, detail, { errors, headers: error.headers, cause: error.cause })
}
