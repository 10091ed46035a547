import type { Caller } from '../access/caller.ts'
import { type FieldErrors, ServiceError } from '../base/errors.ts'
import { JsonError, type JsonValue, parseJsonInTurns } from '../base/json.ts'
import type { Outcome } from '../sandbox/sandbox.ts'
import type { Write } from '../storage/port.ts'
import type { KeptTokens } from '../tokens/kept-tokens.ts'
import { tokenize } from '../tokens/tokenize.ts'
import type { ReactorsContext } from './context.ts'

/** A response that the formula chose itself. */
export type Custom = Extract<Outcome, { kind: 'custom' }>

/** What came of an invocation, with its tokens made. */
export type Reaction =
  | { readonly kind: 'answered'; readonly tokens?: JsonValue; readonly raw?: JsonValue }
  | Custom

/** The same as it is kept in the commit that makes the tokens. */
export type KeptReaction =
  | { readonly kind: 'answered'; readonly tokens?: KeptTokens; readonly raw?: JsonValue }
  | Custom

/**
 * Makes the tokens that a formula asked for, all of them or none. They belong to the caller, who need not hold
 * `token:create`.
 *
 * @param companion writes that belong into the same commit; without tokens they are committed on their own
 * @throws {ServiceError} reactor_runtime, validation, conflict; idempotency_conflict where the companion does not hold
 */
// Requirements: INV-002, INV-027, INV-506
export async function settle(
  context: ReactorsContext,
  caller: Caller,
  outcome: Extract<Outcome, { kind: 'answered' | 'custom' }>,
  companion: (reaction: KeptReaction) => readonly Write[],
): Promise<Reaction> {
  if (outcome.kind === 'custom') {
    await commitAlone(context, companion(outcome))
    return outcome
  }
  const raw = outcome.raw === undefined ? {} : { raw: outcome.raw }
  if (outcome.tokenize === undefined || outcome.tokenize === null) {
    const answer = { kind: 'answered', ...raw } as const
    await commitAlone(context, companion(answer))
    return answer
  }
  const payload = await keepable(outcome.tokenize)
  try {
    const tokens = await tokenize(context.tokens, caller, payload, {
      asksPermission: false,
      companion: kept => companion({ kind: 'answered', tokens: kept, ...raw }),
    })
    return { kind: 'answered', tokens, ...raw }
  } catch (error) {
    throw aboutTokenize(error)
  }
}

async function commitAlone(context: ReactorsContext, writes: readonly Write[]): Promise<void> {
  if (writes.length === 0) return
  const result = await context.store.commit(writes, context.nowUs())
  if (!result.ok) throw new ServiceError('idempotency_conflict', 'this invocation is being answered already')
}

/** What is stored must come back as it was: the same rules as at the door hold for it. */
async function keepable(tokenized: JsonValue): Promise<JsonValue> {
  try {
    return await parseJsonInTurns(JSON.stringify(tokenized))
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new ServiceError('reactor_runtime', `what the formula asked to tokenize ${error.message}`)
  }
}

/** The refusal of a payload, with paths as the formula gave it. */
function aboutTokenize(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.errors === undefined) return error
  const errors: FieldErrors = {}
  for (const [path, messages] of Object.entries(error.errors)) {
    errors[path === 'body' || path === '' ? 'tokenize' : `tokenize.${path}`] = messages
  }
  const detail = `what the formula asked to tokenize is refused: ${error.message}`
  return new ServiceError(error.code, detail, { errors, headers: error.headers, cause: error.cause })
}
