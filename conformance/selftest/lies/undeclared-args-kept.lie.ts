import { type Lie, react, rewords } from '../tell.ts'

/** Undeclared arguments reach the formula. */
export const lie: Lie = {
  turns: ['INV-016.a'],
  tell: rewords('POST', react, (body, heard) =>
    body.raw?.args === undefined
      ? body
      : { ...body, raw: { args: { ...heard.body.args, ...body.raw.args } } },
  ),
}
