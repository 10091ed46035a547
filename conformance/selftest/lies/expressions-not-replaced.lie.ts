import { type Lie, react, rewords } from '../tell.ts'

/** A formula gets the expression in the place of the data. */
export const lie: Lie = {
  turns: ['INV-006.a', 'INV-008.a'],
  tell: rewords('POST', react, (body, heard) =>
    body.raw?.args === undefined ? body : { ...body, raw: { args: heard.body.args } },
  ),
}
