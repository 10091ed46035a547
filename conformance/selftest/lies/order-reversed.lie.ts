import { type Lie, rewords, tokens } from '../tell.ts'

/** A list shows the oldest first. */
export const lie: Lie = {
  turns: ['PAG-503.a'],
  tell: rewords('GET', tokens, body => ({ ...body, data: body.data.reverse() })),
}
