import { type Lie, rewords } from '../tell.ts'

/** The log is empty. */
export const lie: Lie = {
  turns: ['LOG-501.a', 'TOK-512.a'],
  tell: rewords('GET', /^\/logs$/, body => ({ ...body, data: [] })),
}
