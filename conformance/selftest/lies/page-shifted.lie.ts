import { type Lie, mishears, tokenSearch } from '../tell.ts'

/** A search counts its pages from 0. */
export const lie: Lie = {
  turns: ['SEA-032.a'],
  tell: mishears('POST', tokenSearch, body => ({ ...body, page: (body.page ?? 1) + 1 })),
}
