import { type Lie, rewords, token } from '../tell.ts'

/** A card has no cvc from the start. */
export const lie: Lie = {
  turns: ['DAT-009.a', 'LIM-001.a'],
  tell: rewords('GET', token, body =>
    body.data?.cvc ? { ...body, data: { ...body.data, cvc: undefined } } : body,
  ),
}
