import { about, bodyOf, type Lie, rewords, say, token, tokens } from '../tell.ts'

/** A cvc that was given once is shown for ever. */
export const lie: Lie = {
  turns: ['DAT-009.a', 'TOK-511.a'],
  tell: (next, target) => {
    const kept = new Map<string, string>()
    const remember = about('POST', tokens, async (heard, onward) => {
      const response = await onward(say(heard))
      const { cvc } = heard.body?.data ?? {}
      if (response.ok && typeof cvc === 'string') kept.set((await bodyOf(response)).id, cvc)
      return response
    })
    const show = rewords('GET', token, body =>
      kept.has(body.id) ? { ...body, data: { ...body.data, cvc: kept.get(body.id) } } : body,
    )
    return show(remember(next, target), target)
  },
}
