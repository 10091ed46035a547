import { about, type Lie, say, token } from '../tell.ts'

/** A token is read as half a document. */
export const lie: Lie = {
  turns: ['TOK-001.a'],
  tell: about('GET', token, async (heard, next) => {
    const response = await next(say(heard))
    const text = await response.text()
    const { status, headers } = response
    return new Response(text.slice(0, text.length / 2), { status, headers })
  }),
}
