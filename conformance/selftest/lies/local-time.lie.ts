import { type Lie, mishears, tokens } from '../tell.ts'

/** A time without an offset is read as local, an hour ahead of UTC. */
export const lie: Lie = {
  turns: ['TOK-013.a'],
  tell: mishears('POST', tokens, body =>
    /T[\d:]+$/.test(body.expires_at) ? { ...body, expires_at: `${body.expires_at}+01:00` } : body,
  ),
}
