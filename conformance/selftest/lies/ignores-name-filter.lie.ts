import { about, type Lie, say } from '../tell.ts'

/** A list of formulas ignores the name. */
export const lie: Lie = {
  turns: ['FOR-012.a'],
  tell: about('GET', /^\/reactor-formulas$/, (heard, next) => next(say(heard, { search: '' }))),
}
