import { type Lie, restates, tokens } from '../tell.ts'

/** A method that is none is answered 404. */
export const lie: Lie = {
  turns: ['ERR-502.a'],
  tell: restates('PUT', tokens, 405, 404),
}
