import type { TokensContext } from '../../tokens/context.ts'
import { detokenize } from '../../tokens/detokenize.ts'
import { type KeptTokens, showKept } from '../../tokens/kept-tokens.ts'
import { tokenize } from '../../tokens/tokenize.ts'
import type { Handlers, Replays } from './handler.ts'

export function tokenizationHandlers(context: TokensContext): Handlers {
  return {
    tokenize: async ({ caller, body = null, receipt }) => ({
      status: 200,
      body: await tokenize(
        context,
        caller,
        body,
        receipt && { companion: kept => receipt({ status: 200, details: kept }) },
      ),
    }),
    detokenize: async ({ caller, body = null }) => ({
      status: 200,
      body: await detokenize(context, caller, body),
    }),
  }
}

export function tokenizationReplays(context: TokensContext): Replays {
  return {
    tokenize: async ({ caller }, { status, details }) => ({
      status,
      body: await showKept(context, caller, details as KeptTokens),
    }),
  }
}
