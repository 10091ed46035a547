import { type Lie, mishears, token } from '../tell.ts'

/** An update leaves containers as they are. */
export const lie: Lie = {
  turns: ['TOK-030.a', 'ACC-506.a'],
  tell: mishears('PATCH', token, body => ({ ...body, containers: undefined })),
}
