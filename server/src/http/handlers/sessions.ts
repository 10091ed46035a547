import { authorizeSession } from '../../sessions/authorize.ts'
import type { SessionsContext } from '../../sessions/context.ts'
import { createSession } from '../../sessions/create.ts'
import type { HandlersOf } from './handler.ts'

export function sessionHandlers(context: SessionsContext): HandlersOf<'sessions'> {
  return {
    'sessions.create': async ({ caller, receipt }) => ({
      status: 201,
      body: await createSession(context, caller, receipt),
    }),
    // Requirements: SES-013
    'sessions.authorize': async ({ caller, body, receipt }) => {
      await authorizeSession(context, caller, body, receipt)
      return { status: 200 }
    },
  }
}
