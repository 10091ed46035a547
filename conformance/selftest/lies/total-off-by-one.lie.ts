import { type Lie, rewords, tokens } from '../tell.ts'

/** A list counts one item too many. */
export const lie: Lie = {
  turns: ['PAG-502.a', 'PAG-506.a'],
  tell: rewords('GET', tokens, body => ({
    ...body,
    pagination: { ...body.pagination, total_items: body.pagination.total_items + 1 },
  })),
}
