import { type Lie, pretends } from '../tell.ts'

/** A session is authorized with any key. */
export const lie: Lie = {
  turns: ['SES-012.a'],
  tell: pretends('POST', /^\/sessions\/authorize$/, [403], target => [target.privateKey]),
}
