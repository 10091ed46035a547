import type { JsonObject, JsonValue } from '../../base/json.ts'
import type { TokensContext } from '../../tokens/context.ts'
import { createToken } from '../../tokens/create.ts'
import { deleteToken } from '../../tokens/delete.ts'
import type { CreateTokenInput } from '../../tokens/draft.ts'
import { type KeptToken, type KeptTokens, showKept } from '../../tokens/kept-tokens.ts'
import { listTokens } from '../../tokens/list.ts'
import { readToken } from '../../tokens/read.ts'
import { searchTokens } from '../../tokens/search.ts'
import { readOriginal, readUpdated, type UpdateTokenInput, updateToken } from '../../tokens/update.ts'
import type { Handlers, Replays } from './handler.ts'
import { listOf, mapOf, pathId, wishOf } from './shapes.ts'

export function tokenHandlers(context: TokensContext): Handlers {
  return {
    'tokens.create': async ({ caller, body, receipt }) => {
      const input = body as unknown as CreateTokenInput
      const { token, created, kept } = await createToken(
        context,
        caller,
        input,
        receipt && (made => receipt({ status: 201, details: only(made) })),
      )
      if (created) return { status: 201, body: token }
      return { status: 200, body: token, keep: { status: 200, details: only(kept) } }
    },
    'tokens.list': async ({ caller, query }) => ({
      status: 200,
      body: await listTokens(context, caller, {
        ...wishOf(query),
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
          ...wishOf(page),
          query: (query as string | null | undefined) ?? undefined,
        }),
      }
    },
    'tokens.get': async ({ caller, path }) => ({
      status: 200,
      body: await readToken(context, caller, pathId(path)),
    }),
    'tokens.update': async ({ caller, path, body, receipt }) => {
      const id = pathId(path)
      const input = body as UpdateTokenInput
      const { token, applied } = await updateToken(
        context,
        caller,
        id,
        input,
        receipt && (mask => receipt({ status: 200, entity: id, ...keptMask(input, mask) })),
      )
      if (applied) return { status: 200, body: token }
      return { status: 200, body: token, keep: { status: 200, entity: token.id } }
    },
    'tokens.delete': async ({ caller, path }) => {
      await deleteToken(context, caller, pathId(path))
      return { status: 204 }
    },
  }
}

export function tokenReplays(context: TokensContext): Replays {
  return {
    'tokens.create': async ({ caller }, { status, details }) => ({
      status,
      body: await showKept(context, caller, details as KeptTokens),
    }),
    'tokens.update': async ({ caller, path, body }, { status, entity = '', details }) => {
      const [id, input] = [pathId(path), body as UpdateTokenInput]
      return {
        status,
        body:
          entity === id
            ? await readUpdated(context, caller, id, input, maskOf(details))
            : await readOriginal(context, caller, id, input, entity),
      }
    },
  }
}

/** An answer that is one token. */
function only(token: KeptToken): KeptTokens {
  return { shape: 0, tokens: [token] }
}

/** If the update sets a mask, keeps the one before it: the answer shows the data under that one. */
function keptMask(input: UpdateTokenInput, mask: JsonValue | undefined): { details?: object } {
  return input.mask === undefined || mask === undefined ? {} : { details: { mask } }
}

function maskOf(details: object | undefined): JsonValue | undefined {
  return details && 'mask' in details ? (details.mask as JsonValue) : undefined
}
