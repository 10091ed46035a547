import { type Lie, mishears, tokenSearch } from '../tell.ts'

/** A search ignores NOT. */
export const lie: Lie = {
  turns: ['SEA-005.a'],
  tell: mishears('POST', tokenSearch, body => ({
    ...body,
    query: body.query?.replaceAll(/NOT |!|(?<=[( ])-/g, ''),
  })),
}
