import { type Lie, mishears, tokenSearch } from '../tell.ts'

/** A search binds OR before AND. */
export const lie: Lie = {
  turns: ['SEA-501.a'],
  tell: mishears('POST', tokenSearch, body => ({
    ...body,
    query: body.query?.replace(/\((\S+ OR \S+) AND (\S+)\)$/, '(($1) AND $2)'),
  })),
}
