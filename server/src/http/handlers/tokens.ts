import type { TokensContext } from '../../tokens/context.ts'
import { createToken } from '../../tokens/create.ts'
import { deleteToken, deleteTokens } from '../../tokens/erase.ts'
import { listTokens, searchTokens } from '../../tokens/list.ts'
import { lookUpTokens } from '../../tokens/lookup.ts'
import { readToken } from '../../tokens/read.ts'
import { updateToken } from '../../tokens/update.ts'
import { answer, type HandlersOf } from './handler.ts'

export function tokenHandlers(context: TokensContext): HandlersOf<'tokens'> {
  return {
    'tokens.create': async ({ caller, body, receipt }) => {
      const { token, created } = await createToken(context, caller, body, receipt)
      return { status: created ? 201 : 200, body: token }
    },
    'tokens.list': ({ caller, query }) => answer(200, listTokens(context, caller, query)),
    'tokens.search': ({ caller, body }) => answer(200, searchTokens(context, caller, body)),
    'tokens.lookup': ({ caller, body }) => answer(200, lookUpTokens(context, caller, body)),
    'tokens.get': ({ caller, path, token }) => answer(200, readToken(context, caller, path.id, token)),
    'tokens.update': ({ caller, path, body, receipt }) =>
      answer(200, updateToken(context, caller, path.id, body, receipt)),
    'tokens.delete': ({ caller, path }) => answer(204, deleteToken(context, caller, path.id)),
    'tokens.deleteMany': ({ caller, body, receipt }) =>
      answer(204, deleteTokens(context, caller, body.ids, receipt)),
  }
}
