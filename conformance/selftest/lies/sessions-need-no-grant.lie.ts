import { type Lie, pretends } from '../tell.ts'

/** A session may do what it was not granted. */
export const lie: Lie = {
  turns: ['SES-003.a', 'SES-005.a'],
  tell: pretends('GET|POST|PATCH|DELETE', /^\/tokens/, [403], target => [target.privateKey]),
}
