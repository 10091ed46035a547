import type { TokensContext } from '../../tokens/context.ts'
import { detokenize } from '../../tokens/payloads/detokenize.ts'
import { tokenize } from '../../tokens/payloads/tokenize.ts'
import type { Handlers } from './handler.ts'

export function tokenizationHandlers(context: TokensContext): Pick<Handlers, 'tokenize' | 'detokenize'> {
  return {
    tokenize: async ({ caller, body, receipt }) => ({
      status: 200,
      body: await tokenize(context, caller, body, {
        receipt: receipt && (kept => receipt({ details: kept })),
      }),
    }),
    detokenize: async ({ caller, body }) => ({
      status: 200,
      body: await detokenize(context, caller, body),
    }),
  }
}
