import { type Lie, mishears, tokens } from '../tell.ts'

/** A routing number with a wrong checksum is accepted. */
export const lie: Lie = {
  turns: ['DAT-001.a'],
  control: 'DAT-005.a',
  tell: mishears('POST', tokens, body =>
    body.type === 'bank' && /^\d{9}$/.test(body.data?.routing_number)
      ? { ...body, data: { ...body.data, routing_number: '110000000' } }
      : body,
  ),
}
