import { type Lie, pretends, token } from '../tell.ts'

/** Whoever may not delete deletes all the same. */
export const lie: Lie = {
  turns: ['AUT-005.a', 'SES-005.a'],
  tell: pretends('DELETE', token, [403], target => [target.privateKey]),
}
