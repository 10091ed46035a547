import { type Lie, restates } from '../tell.ts'

/** A nonce that was used is accepted again. */
export const lie: Lie = {
  turns: ['SES-006.a'],
  tell: restates('POST', /^\/sessions\/authorize$/, 409, 200, { body: undefined }),
}
