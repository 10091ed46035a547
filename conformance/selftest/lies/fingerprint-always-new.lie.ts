import { type Lie, rewords, tokens } from '../tell.ts'

/** No two tokens have one fingerprint. */
export const lie: Lie = {
  turns: ['TOK-016.a', 'TOK-017.a'],
  tell: rewords('POST', tokens, body => ({ ...body, fingerprint: crypto.randomUUID() })),
}
