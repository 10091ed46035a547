import { about, type Lie, token } from '../tell.ts'

/** A delete is answered 204, and the token stays. */
export const lie: Lie = {
  turns: ['TOK-037.a', 'SEA-035.a'],
  tell: about(
    'DELETE',
    token,
    async () => new Response(null, { status: 204, headers: { 'SVC-TRACE-ID': 'lie' } }),
  ),
}
