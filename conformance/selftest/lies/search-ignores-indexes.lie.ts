import { type Lie, mishears, tokenSearch } from '../tell.ts'

/** A search finds nothing by its data. */
export const lie: Lie = {
  turns: ['SEA-016.a', 'SEA-025.a', 'SEA-027.a', 'SEA-030.a'],
  tell: mishears('POST', tokenSearch, body => ({
    ...body,
    query: body.query?.replace(/data:/, 'metadata.data:'),
  })),
}
