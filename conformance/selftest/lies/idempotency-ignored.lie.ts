import { about, type Lie, say, tokens } from '../tell.ts'

/** An idempotency key changes nothing. */
export const lie: Lie = {
  turns: ['IDE-501.a', 'IDE-502.a'],
  tell: about('POST', tokens, (heard, next) => {
    const headers = new Headers(heard.headers)
    headers.delete('SVC-IDEMPOTENCY-KEY')
    return next(say(heard, { headers }))
  }),
}
