import { type Lie, pretends, token } from '../tell.ts'

/** What is not found in one tenant is looked for in the others. */
export const lie: Lie = {
  turns: ['AUT-011.a'],
  tell: pretends('GET|PATCH|DELETE', token, [404], target => [target.privateKey, target.otherPrivateKey]),
}
