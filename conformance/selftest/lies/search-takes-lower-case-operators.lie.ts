import { type Lie, mishears, tokenSearch } from '../tell.ts'

/** Operators work in lower case. */
export const lie: Lie = {
  turns: ['SEA-007.a'],
  tell: mishears('POST', tokenSearch, body => ({ ...body, query: body.query?.replaceAll(/ or /gi, ' OR ') })),
}
