import { about, bodyOf, type Lie, reply, say, tokens } from '../tell.ts'

/** A problem has no type. */
export const lie: Lie = {
  turns: ['ERR-501.a'],
  control: 'TOK-001.a',
  tell: about('POST', tokens, async (heard, next) => {
    const response = await next(say(heard))
    const { type: _gone, ...body } = (await bodyOf(response)) ?? {}
    return response.status === 400 ? reply(response, { body }) : response
  }),
}
