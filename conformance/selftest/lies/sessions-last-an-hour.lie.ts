import { type Lie, rewords } from '../tell.ts'

/** A session says that it lasts an hour. */
export const lie: Lie = {
  turns: ['SES-002.a'],
  tell: rewords('POST', /^\/sessions$/, body => ({
    ...body,
    expires_at: new Date(Date.parse(body.expires_at) + 57 * 60_000).toISOString(),
  })),
}
