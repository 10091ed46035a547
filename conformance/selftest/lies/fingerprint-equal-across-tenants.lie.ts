import { type Lie, rewords, tokens } from '../tell.ts'

/** Fingerprints are made from the data alone. */
export const lie: Lie = {
  turns: ['ACC-510.a'],
  tell: rewords('POST', tokens, (body, heard) => ({ ...body, fingerprint: JSON.stringify(heard.body.data) })),
}
