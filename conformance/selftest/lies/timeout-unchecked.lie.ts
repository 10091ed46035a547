import { type Lie, mishears, react } from '../tell.ts'

/** Any timeout is accepted. */
export const lie: Lie = {
  turns: ['INV-023.a', 'INV-024.a'],
  tell: mishears('POST', react, body => ({ ...body, timeout_ms: undefined })),
}
