import { about, bodyOf, type Lie, say } from '../tell.ts'

/** A PUT of a formula keeps what it leaves out. */
export const lie: Lie = {
  turns: ['FOR-013.a'],
  tell: about('PUT', /^\/reactor-formulas\//, async (heard, next) => {
    const now = await bodyOf(await next(say({ ...heard, method: 'GET', text: '' })))
    return next(say(heard, { body: { description: now?.description, ...heard.body } }))
  }),
}
