import { type Lie, restates, tokens } from '../tell.ts'

/** What is not valid is a failure of the server. */
export const lie: Lie = {
  turns: ['DAT-002.a', 'TOK-005.a'],
  control: 'TOK-001.a',
  tell: restates('POST', tokens, 400, 500),
}
