import type { TokensContext } from '../../tokens/context.ts'
import { createToken } from '../../tokens/create.ts'
import { deleteToken } from '../../tokens/delete.ts'
import { listTokens } from '../../tokens/list.ts'
import { readToken } from '../../tokens/read.ts'
import { searchTokens } from '../../tokens/search.ts'
import { updateToken } from '../../tokens/update.ts'
import type { HandlersOf } from './handler.ts'

export function tokenHandlers(context: TokensContext): HandlersOf<'tokens'> {
  return {
    'tokens.create': async ({ caller, body, receipt }) => {
      const { token, created } = await createToken(context, caller, body, receipt)
      return { status: created ? 201 : 200, body: token }
    },
    'tokens.list': async ({ caller, query }) => ({
      status: 200,
      body: await listTokens(context, caller, query),
    }),
    'tokens.search': async ({ caller, body }) => ({
      status: 200,
      body: await searchTokens(context, caller, body),
    }),
    'tokens.get': async ({ caller, path }) => ({
      status: 200,
      body: await readToken(context, caller, path.id),
    }),
    'tokens.update': async ({ caller, path, body, receipt }) => ({
      status: 200,
      body: await updateToken(context, caller, path.id, body, receipt),
    }),
    'tokens.delete': async ({ caller, path }) => {
      await deleteToken(context, caller, path.id)
      return { status: 204 }
    },
  }
}
