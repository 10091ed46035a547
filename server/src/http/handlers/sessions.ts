import { authorizeSession } from '../../sessions/authorize.ts'
import type { SessionsContext } from '../../sessions/context.ts'
import { createSession } from '../../sessions/create.ts'
import { answer, type HandlersOf } from './handler.ts'

export function sessionHandlers(context: SessionsContext): HandlersOf<'sessions'> {
  return {
    'sessions.create': ({ caller, receipt }) => answer(201, createSession(context, caller, receipt)),
    // Requirements: SES-013
    'sessions.authorize': ({ caller, body, receipt }) =>
      answer(200, authorizeSession(context, caller, body, receipt)),
  }
}
