import { type Lie, restates, tokenSearch } from '../tell.ts'

/** An invalid query finds nothing. */
export const lie: Lie = {
  turns: ['SEA-018.a', 'SEA-503.a'],
  tell: restates('POST', tokenSearch, 400, 200, {
    body: { pagination: { total_items: 0, page_number: 1, page_size: 20, total_pages: 0 }, data: [] },
  }),
}
