import { type Lie, rewords, tokens } from '../tell.ts'

/** The answer to a create shows the whole data. */
export const lie: Lie = {
  turns: ['TOK-009.a'],
  tell: rewords('POST', tokens, (body, heard) => ({ ...body, data: heard.body.data })),
}
