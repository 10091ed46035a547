import { type Lie, mishears, tokenSearch } from '../tell.ts'

/** A page has ten items unless told otherwise. */
export const lie: Lie = {
  turns: ['SEA-033.a'],
  tell: mishears('POST', tokenSearch, body => ({ ...body, size: body.size ?? 10 })),
}
