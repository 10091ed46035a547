import { type Lie, mishears } from '../tell.ts'

/** Parameters are neither looked for, nor cast, nor pruned. */
export const lie: Lie = {
  turns: ['INV-012.a', 'INV-013.a', 'INV-014.a', 'INV-016.a'],
  tell: mishears('POST', /^\/reactor-formulas$/, body => ({ ...body, request_parameters: [] })),
}
