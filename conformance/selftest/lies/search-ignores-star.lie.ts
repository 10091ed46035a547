import { type Lie, mishears, tokenSearch } from '../tell.ts'

/** A container term with a star finds the container alone. */
export const lie: Lie = {
  turns: ['SEA-011.a'],
  tell: mishears('POST', tokenSearch, body => ({ ...body, query: body.query?.replace('a/*"', 'a/"') })),
}
