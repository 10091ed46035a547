import { type Lie, rewords, token } from '../tell.ts'

/** A token has a member that the contract does not name. */
export const lie: Lie = {
  turns: ['TOK-001.a'],
  tell: rewords('GET', token, body => ({ ...body, debug: true })),
}
