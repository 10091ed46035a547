import { type Lie, rewords, tokens } from '../tell.ts'

/** The answer to a create leaves the tenant out. */
export const lie: Lie = {
  turns: ['TOK-008.a', 'TOK-001.a'],
  control: 'SES-001.a',
  tell: rewords('POST', tokens, ({ tenant_id: _gone, ...body }) => body),
}
