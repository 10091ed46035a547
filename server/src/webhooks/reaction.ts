import type { Caller } from '../access/caller.ts'
import type { JsonValue } from '../base/json/json.ts'
import type { TokenizedPayload } from '../contract/types.ts'
import type { Outcome } from '../sandbox/sandbox.ts'
import { type KeptTokens, showKept } from '../tokens/payloads/kept-tokens.ts'
import type { TokensContext } from '../tokens/tokens-context.ts'

/** A response whose status, headers and body the formula chose. */
type CustomResponse = Extract<Outcome, { kind: 'custom' }>

/** The result of an invocation. */
export type Reaction =
  | { readonly kind: 'answered'; readonly tokens?: TokenizedPayload; readonly raw?: JsonValue }
  | CustomResponse

/** A reaction as receipts and jobs keep it: its tokens by their ids, never their data. */
export type KeptReaction =
  | { readonly kind: 'answered'; readonly tokens?: KeptTokens; readonly raw?: JsonValue }
  | CustomResponse

/**
 * Returns a kept reaction with its tokens as they are now.
 * @param gone stands for a token that is gone; without it, such a token is not_found
 */
export async function showReaction(
  context: TokensContext,
  caller: Caller,
  kept: KeptReaction,
  gone?: null,
): Promise<Reaction> {
  if (kept.kind === 'custom' || kept.tokens === undefined) return kept as Reaction
  const { kind, tokens, ...raw } = kept
  const options = { asksPermission: false, ...(gone === null ? { gone } : {}) }
  return { kind, tokens: await showKept(context, caller, tokens, options), ...raw }
}

/** The answer that a job keeps for its webhook: a body, or a reaction whose tokens are read when the body is made. */
export type JobAnswer = JsonValue | { readonly reaction: KeptReaction }
