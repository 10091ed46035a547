import { about, bodyOf, type Lie, reply, say, token } from '../tell.ts'

/** A read shows the whole data to whoever may see the mask. */
export const lie: Lie = {
  turns: ['TOK-025.a', 'TOK-044.a', 'ACC-504.a'],
  tell: about('GET', token, async (heard, next, target) => {
    const response = await next(say(heard))
    const body = await bodyOf(response)
    if (!response.ok || body.data === undefined) return response
    const whole = await bodyOf(await next(say(heard, { key: target.privateKey })))
    return reply(response, { body: { ...body, data: whole.data } })
  }),
}
