import { any, type Lie, restates } from '../tell.ts'

/** A wrong content type is answered 400. */
export const lie: Lie = {
  turns: ['TOK-026.a', 'REA-011.a'],
  tell: restates('PATCH', any, 415, 400),
}
