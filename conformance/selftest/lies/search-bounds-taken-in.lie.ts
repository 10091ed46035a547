import { type Lie, mishears, tokenSearch } from '../tell.ts'

/** A range in braces takes its ends in. */
export const lie: Lie = {
  turns: ['SEA-014.a'],
  tell: mishears('POST', tokenSearch, body => ({
    ...body,
    query: body.query?.replaceAll('{', '[').replaceAll('}', ']'),
  })),
}
