import { type Lie, mishears, tokens } from '../tell.ts'

/** A deduplicating create stores another token. */
export const lie: Lie = {
  turns: ['TOK-501.a', 'TOK-502.a'],
  tell: mishears('POST', tokens, body => ({ ...body, deduplicate_token: undefined })),
}
