import { type Lie, react, restates } from '../tell.ts'

/** A formula that throws is answered as a success. */
export const lie: Lie = {
  turns: ['INV-021.a', 'INV-507.a'],
  tell: restates('POST', react, 500, 200, { body: {} }),
}
