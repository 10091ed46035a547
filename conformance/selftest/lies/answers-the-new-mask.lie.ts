import { about, bodyOf, type Lie, reply, say, token } from '../tell.ts'

/** The answer to an update shows the data under the mask that the update set. */
export const lie: Lie = {
  turns: ['ACC-521.a', 'ACC-521.b'],
  tell: about('PATCH', token, async (heard, next, target) => {
    const response = await next(say(heard))
    const body = await bodyOf(response)
    if (!response.ok || heard.body?.mask !== '{{ data }}') return response
    const whole = await next(say({ ...heard, method: 'GET', text: '' }, { key: target.privateKey }))
    return reply(response, { body: { ...body, data: (await bodyOf(whole)).data } })
  }),
}
