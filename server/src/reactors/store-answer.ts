import type { Caller } from '../access/caller.ts'
import { type FieldErrors, ServiceError } from '../base/errors.ts'
import { JsonError, type JsonValue, parseJsonInTurns } from '../base/json/json.ts'
import type { Outcome } from '../sandbox/sandbox.ts'
import { type Receipt, transact } from '../storage/port/transact.ts'
import { tokenize } from '../tokens/payloads/tokenize.ts'
import type { KeptReaction, Reaction } from '../webhooks/reaction.ts'
import type { ReactorsContext } from './reactors-context.ts'

/**
 * Makes the tokens that a formula has asked for, all of them or none. They belong to the caller, who need not hold
 * `token:create`.
 *
 * @param receipt keeps the reaction, in the same commit
 * @throws {ServiceError} reactor_runtime, validation, conflict, idempotency_conflict
 */
// Requirements: INV-002, INV-027, INV-506
export async function settle(
  context: ReactorsContext,
  caller: Caller,
  outcome: Extract<Outcome, { kind: 'answered' | 'custom' }>,
  receipt: Receipt<KeptReaction> | undefined,
): Promise<Reaction> {
  if (outcome.kind === 'custom') return keep(context, outcome, receipt)
  const raw = outcome.raw === undefined ? {} : { raw: outcome.raw }
  if (outcome.tokenize === undefined || outcome.tokenize === null) {
    return keep(context, { kind: 'answered', ...raw } as const, receipt)
  }
  const payload = await keepable(outcome.tokenize)
  try {
    const tokens = await tokenize(context.tokens, caller, payload, {
      asksPermission: false,
      receipt: receipt && (kept => receipt({ kind: 'answered', tokens: kept, ...raw })),
    })
    return { kind: 'answered', tokens, ...raw }
  } catch (error) {
    throw aboutTokenize(error)
  }
}

/** Commits the receipt of an answer that made no tokens. */
export function keep<T>(context: ReactorsContext, kept: T, receipt?: Receipt<T>): Promise<T> {
  return transact(context, async () => ({ writes: [], kept, result: () => kept }), receipt)
}

/** Checks by the rules for request bodies that a value can be stored and read back unchanged. */
async function keepable(tokenized: JsonValue): Promise<JsonValue> {
  try {
    return await parseJsonInTurns(JSON.stringify(tokenized))
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
