import { type Lie, mishears, tokenSearch } from '../tell.ts'

/** A star behind a name is no star of its own. */
export const lie: Lie = {
  turns: ['SEA-531.a'],
  tell: mishears('POST', tokenSearch, body => ({
    ...body,
    query: body.query?.replace(/([a-z0-9])\*"/, '$1/"'),
  })),
}
