import { about, bodyOf, type Lie, say, token } from '../tell.ts'

/** An update replaces data instead of merging it. */
export const lie: Lie = {
  turns: ['TOK-027.a'],
  tell: about('PATCH', token, async (heard, next, target) => {
    const now = await bodyOf(
      await next(say({ ...heard, method: 'GET', text: '' }, { key: target.privateKey })),
    )
    const { data } = heard.body ?? {}
    if (typeof data !== 'object' || typeof now?.data !== 'object') return next(say(heard))
    const gone = Object.fromEntries(Object.keys(now.data).map(name => [name, null]))
    return next(say(heard, { body: { ...heard.body, data: { ...gone, ...data } } }))
  }),
}
