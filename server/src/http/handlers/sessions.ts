import { type AuthorizeSessionInput, authorizeSession } from '../../sessions/authorize.ts'
import type { SessionsContext } from '../../sessions/context.ts'
import { createSession, readSessionEnd } from '../../sessions/create.ts'
import type { Handlers, Replays } from './handler.ts'

export function sessionHandlers(context: SessionsContext): Handlers {
  return {
    'sessions.create': async ({ caller, receipt }) => ({
      status: 201,
      body: await createSession(
        context,
        caller,
        receipt &&
          ((session, { session_key, nonce }) =>
            receipt({ status: 201, entity: session, details: { session_key, nonce } })),
      ),
    }),
    // Requirements: SES-013
    'sessions.authorize': async ({ caller, body, receipt }) => {
      const input = body as unknown as AuthorizeSessionInput
      const kept = receipt && ((session: string) => receipt({ status: 200, entity: session }))
      await authorizeSession(context, caller, input, kept)
      return { status: 200 }
    },
  }
}

export function sessionReplays(context: SessionsContext): Replays {
  return {
    'sessions.create': async ({ caller }, { status, entity = '', details }) => ({
      status,
      body: { ...details, expires_at: await readSessionEnd(context, caller, entity) },
    }),
    'sessions.authorize': async ({ caller }, { status, entity = '' }) => {
      await readSessionEnd(context, caller, entity)
      return { status }
    },
  }
}
