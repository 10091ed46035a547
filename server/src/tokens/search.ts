import type { Caller } from '../access/caller.ts'
import type { LongPage, Page } from '../base/page.ts'
import { compileSearch } from '../search/compile.ts'
import { parseQuery } from '../search/parse.ts'
import { type TokensContext, tenantStore } from './context.ts'
import type { PageSelection } from './cursor.ts'
import { findTokens } from './list.ts'
import type { Token } from './show.ts'

export interface TokenSearch extends PageSelection {
  /** Absent or empty: all that the caller may search. */
  readonly query?: string | undefined
}

/** A page of the tokens that match and that the caller may search. @throws {ServiceError} invalid_query */
export async function searchTokens(
  context: TokensContext,
  caller: Caller,
  search: TokenSearch,
): Promise<Page<Token> | LongPage<Token>> {
  const query = parseQuery(search.query ?? '')
  const store = await tenantStore(context, caller)
  return findTokens(context, store, caller, 'token:search', compileSearch(store, query), search)
}
