import { type Lie, pretends, react } from '../tell.ts'

/** token:use is not asked of the tokens that are used. */
export const lie: Lie = {
  turns: ['INV-003.a', 'INV-004.a'],
  tell: pretends('POST', react, [403], target => [target.privateKey]),
}
