import { type Lie, restates } from '../tell.ts'

/** An authorization that grants nothing is accepted. */
export const lie: Lie = {
  turns: ['SES-007.a'],
  tell: restates('POST', /^\/sessions\/authorize$/, 400, 200, { body: undefined }),
}
