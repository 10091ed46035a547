import { about, type Body, bodyOf, type Lie, say, tokens } from '../tell.ts'

/** A list shows the whole data to whoever may see none. */
export const lie: Lie = {
  turns: ['TOK-024.a'],
  tell: about('GET', tokens, async (heard, next, target) => {
    const response = await next(say(heard))
    const body = await bodyOf(response)
    if (!response.ok || body.data.every((one: Body) => one.data !== undefined)) return response
    return next(say(heard, { key: target.privateKey }))
  }),
}
