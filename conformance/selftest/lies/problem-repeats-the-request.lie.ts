import { about, bodyOf, type Lie, reply, say, tokens } from '../tell.ts'

/** A problem repeats what was sent. */
export const lie: Lie = {
  turns: ['ERR-507.a'],
  tell: about('POST', tokens, async (heard, next) => {
    const response = await next(say(heard))
    if (response.status !== 400) return response
    return reply(response, { body: { ...(await bodyOf(response)), detail: heard.text } })
  }),
}
