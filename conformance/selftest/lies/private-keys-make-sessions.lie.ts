import { type Lie, pretends } from '../tell.ts'

/** A session is created with any key. */
export const lie: Lie = {
  turns: ['SES-011.a'],
  tell: pretends('POST', /^\/sessions$/, [403], target => [target.publicKey]),
}
