import { type Lie, pretends, token } from '../tell.ts'

/** Whoever may update a token may set expressions over its data. */
export const lie: Lie = {
  turns: ['ACC-520.b', 'ACC-520.c', 'ACC-520.d', 'SES-520.a'],
  tell: pretends('PATCH', token, [403], target => [target.privateKey]),
}
