import type { TokensContext } from '../../tokens/context.ts'
import { detokenize } from '../../tokens/detokenize.ts'
import { tokenize } from '../../tokens/tokenize.ts'
import { answerAgain, type UndatedAnswer } from '../../tokens/undated-answer.ts'
import type { Handlers, Replays } from './handler.ts'

export function tokenizationHandlers(context: TokensContext): Handlers {
  return {
    tokenize: async ({ caller, body = null, receipt }) => ({
      status: 200,
      body: await tokenize(
        context,
        caller,
        body,
        receipt && { companion: answer => receipt({ status: 200, entity: '', body: answer }) },
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
    // Kept in the commit that made the tokens, before their times were known.
    tokenize: async ({ caller }, { kept, keptUs }) => ({
      status: kept.status,
      body: await answerAgain(context, caller, kept.body as unknown as UndatedAnswer, keptUs),
    }),
  }
}
