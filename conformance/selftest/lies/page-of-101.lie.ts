import { type Lie, mishears, tokenSearch } from '../tell.ts'

/** A page may be as great as one likes. */
export const lie: Lie = {
  turns: ['SEA-034.a'],
  tell: mishears('POST', tokenSearch, body => ({ ...body, size: Math.min(body.size ?? 20, 100) })),
}
