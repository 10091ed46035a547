import type { Caller } from '../access/caller.ts'
import type { JsonValue } from '../base/json.ts'
import { formatMicros } from '../base/time.ts'
import { type TokensContext, tenantStore } from './context.ts'
import { fillShape } from './payload.ts'
import type { Token, UndatedToken } from './show.ts'
import type { TokenRecord } from './token.ts'

/**
 * What a payload was answered with, as it is known before the commit: what has become of each wish, and the
 * shape that it goes into. The `created_at` of a new token is the store's to tell.
 */
export interface UndatedAnswer {
  readonly shape: JsonValue
  readonly tokens: readonly Outcome[]
}

/** The id of a new token, a new token, or one that was there before. */
export type Outcome = string | UndatedToken | Token

export function dateAnswer({ shape, tokens }: UndatedAnswer, createdUsOf: (id: string) => number): JsonValue {
  const dated = tokens.map(token =>
    isUndated(token) ? { ...token, created_at: formatMicros(createdUsOf(token.id)) } : token,
  )
  return fillShape(shape, dated as unknown as JsonValue[])
}

/** An answer once more, from what was kept of it in epoch microsecond `keptUs`, by the commit that it tells of. */
export async function answerAgain(
  context: TokensContext,
  caller: Caller,
  kept: UndatedAnswer,
  keptUs: number,
): Promise<JsonValue> {
  const store = await tenantStore(context, caller)
  const ids = [...new Set(kept.tokens.flatMap(token => newIdOf(token) ?? []))]
  const records = await store.getMany<TokenRecord>('token', ids)
  // Tokens of one commit are a microsecond apart, so one that is left tells when those were made that are gone.
  const starts = records.flatMap((record, position) => (record ? [record.createdUs - position] : []))
  const startUs = starts.length > 0 ? Math.min(...starts) : keptUs
  return dateAnswer(kept, id => {
    const position = ids.indexOf(id)
    return records[position]?.createdUs ?? startUs + position
  })
}

/** The id of a token that the commit made. */
function newIdOf(token: Outcome): string | undefined {
  if (typeof token === 'string') return token
  return isUndated(token) ? token.id : undefined
}

function isUndated(token: Outcome): token is UndatedToken {
  return typeof token !== 'string' && !('created_at' in token)
}
