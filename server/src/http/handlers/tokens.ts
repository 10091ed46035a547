import type { JsonObject } from '../../base/json.ts'
import type { TokensContext } from '../../tokens/context.ts'
import { createToken } from '../../tokens/create.ts'
import { deleteToken } from '../../tokens/delete.ts'
import type { CreateTokenInput } from '../../tokens/draft.ts'
import { listTokens } from '../../tokens/list.ts'
import { readToken } from '../../tokens/read.ts'
import { searchTokens } from '../../tokens/search.ts'
import { type UpdateTokenInput, updateToken } from '../../tokens/update.ts'
import type { Handlers } from './handler.ts'
import { listOf, mapOf, pageSelectionOf, pathId } from './shapes.ts'

export function tokenHandlers(context: TokensContext): Handlers {
  return {
    'tokens.create': async ({ caller, body, receipt }) => {
      const input = body as unknown as CreateTokenInput
      const { token, created } = await createToken(context, caller, input, receipt)
      return { status: created ? 201 : 200, body: token }
    },
    'tokens.list': async ({ caller, query }) => ({
      status: 200,
      body: await listTokens(context, caller, {
        ...pageSelectionOf(query),
        ...listOf('id', query),
        ...listOf('type', query),
        ...mapOf('metadata', query),
      }),
    }),
    'tokens.search': async ({ caller, body }) => {
      const { query, ...page } = body as JsonObject
      return {
        status: 200,
        body: await searchTokens(context, caller, {
          ...pageSelectionOf(page),
          query: (query as string | null | undefined) ?? undefined,
        }),
      }
    },
    'tokens.get': async ({ caller, path }) => ({
      status: 200,
      body: await readToken(context, caller, pathId(path)),
    }),
    'tokens.update': async ({ caller, path, body, receipt }) => ({
      status: 200,
      body: await updateToken(context, caller, pathId(path), body as UpdateTokenInput, receipt),
    }),
    'tokens.delete': async ({ caller, path }) => {
      await deleteToken(context, caller, pathId(path))
      return { status: 204 }
    },
  }
}
