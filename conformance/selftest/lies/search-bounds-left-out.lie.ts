import { type Lie, mishears, tokenSearch } from '../tell.ts'

/** A range in brackets leaves its ends out. */
export const lie: Lie = {
  turns: ['SEA-013.a'],
  tell: mishears('POST', tokenSearch, body => ({
    ...body,
    query: body.query?.replaceAll('[', '{').replaceAll(']', '}'),
  })),
}
