import { about, type Lie, say, token } from '../tell.ts'

/** An update replaces metadata instead of merging it. */
export const lie: Lie = {
  turns: ['TOK-029.a'],
  tell: about('PATCH', token, async (heard, next) => {
    const { metadata } = heard.body ?? {}
    if (typeof metadata !== 'object' || metadata === null) return next(say(heard))
    await (await next(say(heard, { body: { metadata: null } }))).arrayBuffer()
    return next(say(heard))
  }),
}
