import type { TokensContext } from '../../tokens/context.ts'
import { detokenize } from '../../tokens/payloads/detokenize.ts'
import { tokenize } from '../../tokens/payloads/tokenize.ts'
import type { Handlers } from './handler.ts'

export function tokenizationHandlers(context: TokensContext): Handlers {
  return {
    tokenize: async ({ caller, body = null, receipt }) => ({
      status: 200,
      body: await tokenize(context, caller, body, {
        receipt: receipt && (kept => receipt({ details: kept })),
      }),
    }),
    detokenize: async ({ caller, body = null }) => ({
      status: 200,
      body: await detokenize(context, caller, body),
    }),
  }
}
