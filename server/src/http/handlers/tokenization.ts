import type { TokensContext } from '../../tokens/context.ts'
import { detokenize } from '../../tokens/payloads/detokenize.ts'
import { tokenize } from '../../tokens/payloads/tokenize.ts'
import { answer, type Handlers } from './handler.ts'

export function tokenizationHandlers(context: TokensContext): Pick<Handlers, 'tokenize' | 'detokenize'> {
  return {
    tokenize: ({ caller, body, receipt }) =>
      answer(
        200,
        tokenize(context, caller, body, {
          receipt: receipt && (kept => receipt({ details: kept })),
        }),
      ),
    detokenize: ({ caller, body }) => answer(200, detokenize(context, caller, body)),
  }
}
