import type { Caller } from '../access/caller.ts'
import type { LongPage, Page } from '../base/page.ts'
import type { SearchTokensRequest, Token } from '../contract/types.ts'
import { limits } from '../generated/facts.ts'
import { compileSearch } from '../search/compile.ts'
import { parseQuery } from '../search/parse.ts'
import { type TokensContext, tokensOf } from './context.ts'
import { findTokens } from './list.ts'

/** Returns a page of the matching tokens that the caller may search. @throws {ServiceError} invalid_query */
export async function searchTokens(
  context: TokensContext,
  caller: Caller,
  { query, page, size, start }: SearchTokensRequest,
): Promise<Page<Token> | LongPage<Token>> {
  const parsed = parseQuery(query ?? '')
  const tokens = await tokensOf(context, caller)
  const requested = { page: page ?? undefined, size: size ?? limits.pageSize, start: start ?? undefined }
  return findTokens(tokens, caller, 'token:search', compileSearch(tokens.store, parsed), requested)
}
