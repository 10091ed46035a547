import type { Caller } from '../access/caller.ts'
import { tenantStore } from '../access/tenant-settings.ts'
import type { LongPage, Page } from '../base/page.ts'
import type { Token } from '../contract/types.ts'
import type { Handlers } from '../http/handlers/handler.ts'
import { compileSearch } from '../search/compile.ts'
import { parseQuery } from '../search/parse.ts'
import type { SearchQuery } from '../search/query.ts'
import { visibleTo } from '../search/visibility.ts'
import { matchAll, type Query } from '../storage/port/port.ts'
import type { Records, TenantRecords } from '../storage/records/records.ts'

/** Why a search has found nothing. Conditions are named by their field, never by their value. */
interface SearchExplanation {
  /** The number of tokens of the tenant. */
  readonly tokens: number
  /** The number of those that the caller may search. */
  readonly searchable: number
  readonly conditions: readonly { readonly condition: string; readonly excludes: number }[]
}

/** More conditions than this are not counted. */
const mostConditions = 20

/** Returns handlers whose searches say why they have found nothing. */
export function explainingSearches(handlers: Handlers, records: Records, nowMs: () => number): Handlers {
  return {
    ...handlers,
    'tokens.search': async request => {
      const answer = await handlers['tokens.search'](request)
      const page = answer.body as Page<Token> | LongPage<Token>
      if (page.pagination.total_items > 0) return answer
      const { caller, body } = request
      const store = await tenantStore(records, caller.tenant)
      const explanation = await explainSearch(store, nowMs(), caller, parseQuery(body.query ?? ''))
      Object.assign(page, { explanation })
      return answer
    },
  }
}

/** Counts for each condition that has to hold how many of the searchable tokens it excludes by itself. */
async function explainSearch(
  store: TenantRecords,
  nowMs: number,
  caller: Caller,
  query: SearchQuery,
): Promise<SearchExplanation> {
  const count = async (...queries: Query[]) =>
    (await store.find('token', matchAll(queries), { nowMs, offset: 0, limit: 0 })).total
  const visible = visibleTo(store, caller, 'token:search')
  const searchable = await count(visible)
  const parts = query.kind === 'and' ? query.of : [query]
  const conditions = []
  for (const part of parts.slice(0, mostConditions)) {
    // Counted, not subtracted: other requests may write between two counts.
    const excludes = await count(visible, { op: 'not', of: compileSearch(store, part) })
    conditions.push({ condition: nameOf(part), excludes })
  }
  return { tokens: await count({ op: 'all' }), searchable, conditions }
}

function nameOf(query: SearchQuery): string {
  switch (query.kind) {
    case 'everything':
    case 'container':
      return query.kind
    case 'text':
    case 'time':
      return query.field
    case 'metadata':
      return 'metadata'
    case 'not':
      return `NOT ${nameOf(query.of)}`
    case 'and':
    case 'or':
      return `(${[...new Set(query.of.map(nameOf))].slice(0, mostConditions).join(` ${query.kind.toUpperCase()} `)})`
  }
}
