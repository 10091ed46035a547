import type { JsonObject, JsonValue } from '../../base/json.ts'
import { formatMicros } from '../../base/time.ts'
import type { TokensContext } from '../../tokens/context.ts'
import { createToken } from '../../tokens/create.ts'
import { deleteToken } from '../../tokens/delete.ts'
import type { CreateTokenInput } from '../../tokens/draft.ts'
import { listTokens } from '../../tokens/list.ts'
import { createdUsOf, readToken } from '../../tokens/read.ts'
import { searchTokens } from '../../tokens/search.ts'
import { readOriginal, readUpdated, type UpdateTokenInput, updateToken } from '../../tokens/update.ts'
import type { Handlers, Replays } from './handler.ts'
import { listOf, mapOf, pathId, wishOf } from './shapes.ts'

export function tokenHandlers(context: TokensContext): Handlers {
  return {
    'tokens.create': async ({ caller, body, receipt }) => {
      const input = body as unknown as CreateTokenInput
      const { token, created } = await createToken(
        context,
        caller,
        input,
        receipt && (made => receipt({ status: 201, entity: made.id, body: made })),
      )
      return { status: created ? 201 : 200, body: token }
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
      const { token } = await updateToken(
        context,
        caller,
        id,
        input,
        receipt && (mask => receipt({ status: 200, entity: id, ...keptMask(input, mask) })),
      )
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
    // Kept in the commit that made the token, before its time was known.
    'tokens.create': async ({ caller }, { kept, keptUs }) => ({
      status: kept.status,
      body: {
        created_at: formatMicros((await createdUsOf(context, caller, kept.entity)) ?? keptUs),
        ...kept.body,
      },
    }),
    // Nothing of the data is kept: it is read again, and gone if the token is.
    'tokens.update': async ({ caller, path, body }, { kept }) => ({
      status: kept.status,
      body:
        kept.entity === pathId(path)
          ? await readUpdated(context, caller, kept.entity, body as UpdateTokenInput, maskOf(kept.body))
          : await readOriginal(context, caller, kept.entity),
    }),
  }
}

/** Of an update that sets a mask the one before is kept: its answer shows the data under that one. */
function keptMask(input: UpdateTokenInput, maskBefore: JsonValue | undefined): { body?: object } {
  return input.mask === undefined || maskBefore === undefined ? {} : { body: { mask: maskBefore } }
}

function maskOf(body: object | undefined): JsonValue | undefined {
  return body && 'mask' in body ? (body.mask as JsonValue) : undefined
}
