import { type Lie, pretends, tokens } from '../tell.ts'

/** A session works on after its time. */
export const lie: Lie = {
  turns: ['SES-009.a', 'SES-010.a'],
  tell: pretends('POST', tokens, [401], target => [target.privateKey]),
}
