import { type Lie, mishears, tokens } from '../tell.ts'

/** A token gets an id of the service, whatever its creator says. */
export const lie: Lie = {
  turns: ['TOK-002.a', 'TOK-503.a'],
  tell: mishears('POST', tokens, body => ({ ...body, id: undefined })),
}
