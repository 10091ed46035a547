import { type Lie, rewords, tokens } from '../tell.ts'

/** The answer to a create leaves metadata out. */
export const lie: Lie = {
  turns: ['TOK-007.a'],
  tell: rewords('POST', tokens, ({ metadata: _gone, ...body }) => body),
}
