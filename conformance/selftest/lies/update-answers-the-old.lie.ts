import { about, bodyOf, type Lie, reply, say, token } from '../tell.ts'

/** The answer to an update is the token as it was. */
export const lie: Lie = {
  turns: ['TOK-034.a'],
  tell: about('PATCH', token, async (heard, next, target) => {
    const before = await bodyOf(
      await next(say({ ...heard, method: 'GET', text: '' }, { key: target.privateKey })),
    )
    const response = await next(say(heard))
    return response.ok ? reply(response, { body: before }) : response
  }),
}
