import { about, type Lie, say, token } from '../tell.ts'

/** An update is accepted in any content type. */
export const lie: Lie = {
  turns: ['TOK-026.a'],
  tell: about('PATCH', token, (heard, next) => {
    const headers = new Headers(heard.headers)
    headers.set('Content-Type', 'application/merge-patch+json')
    return next(say(heard, { headers }))
  }),
}
