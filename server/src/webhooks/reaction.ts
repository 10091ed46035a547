import type { Caller } from '../access/caller.ts'
import type { JsonValue } from '../base/json/json.ts'
import type { TokenizedPayload } from '../contract/types.ts'
import type { Outcome } from '../sandbox/sandbox.ts'
import { type RecordedTokens, showRecorded } from '../tokens/payloads/recorded-tokens.ts'
import type { Tokens } from '../tokens/tokens.ts'

/** A response whose status, headers and body the formula chose. */
type CustomResponse = Extract<Outcome, { kind: 'custom' }>

/** The result of an invocation. */
export type Reaction =
  | { readonly kind: 'answered'; readonly tokens?: TokenizedPayload; readonly raw?: JsonValue }
  | CustomResponse

/** A reaction as receipts and jobs keep it: its tokens by their ids, never their data. */
export type RecordedReaction =
  | { readonly kind: 'answered'; readonly tokens?: RecordedTokens; readonly raw?: JsonValue }
  | CustomResponse

/**
 * Returns a kept reaction with its tokens as they are now.
 * @param gone stands for a token that is gone; without it, such a token is not_found
 */
export async function showReaction(
  all: Pick<Tokens, 'of'>,
  caller: Caller,
  recorded: RecordedReaction,
  gone?: null,
): Promise<Reaction> {
  if (recorded.kind === 'custom' || recorded.tokens === undefined) return recorded as Reaction
  const { kind, tokens, ...raw } = recorded
  const options = { asksPermission: false, ...(gone === null ? { gone } : {}) }
  return { kind, tokens: await showRecorded(all.of(caller), tokens, options), ...raw }
}

/** The answer that a job keeps for its webhook: a body, or a reaction whose tokens are read when the body is made. */
export type JobAnswer = JsonValue | { readonly reaction: RecordedReaction }
