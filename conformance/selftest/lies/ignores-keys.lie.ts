import { type Lie, pretends } from '../tell.ts'

/** A request without a good key is done as if it had one. */
export const lie: Lie = {
  turns: ['AUT-001.a', 'APP-505.a'],
  tell: pretends('GET|DELETE', /^\/tokens/, [401], target => [target.privateKey]),
}
