import { type Lie, mishears, tokenSearch } from '../tell.ts'

/** A container term finds what is below it, too. */
export const lie: Lie = {
  turns: ['SEA-010.a'],
  tell: mishears('POST', tokenSearch, body => ({ ...body, query: body.query?.replace(/\/"$/, '/*"') })),
}
