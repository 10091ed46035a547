import { about, bodyOf, type Lie, say, token } from '../tell.ts'

/** An update into a duplicate shows the original whole. */
export const lie: Lie = {
  turns: ['TOK-035.a'],
  tell: about('PATCH', token, async (heard, next, target) => {
    const response = await next(say(heard))
    if (!response.ok || heard.body?.deduplicate_token !== true) return response
    const { id } = await bodyOf(response)
    return next(say({ ...heard, method: 'GET', path: `/tokens/${id}`, text: '' }, { key: target.privateKey }))
  }),
}
