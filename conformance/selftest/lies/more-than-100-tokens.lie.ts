import { about, type Lie, react, reply, say } from '../tell.ts'

/** Any number of tokens is detokenized. */
export const lie: Lie = {
  turns: ['INV-009.a'],
  tell: about('POST', react, async (heard, next) => {
    const response = await next(say(heard))
    return response.status === 400 ? reply(response, { status: 200, body: { raw: {} } }) : response
  }),
}
