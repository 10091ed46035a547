import { type Lie, restates, token } from '../tell.ts'

/** What does not exist is answered 410. */
export const lie: Lie = {
  turns: ['TOK-038.a'],
  tell: restates('DELETE', token, 404, 410),
}
