import { isSessionOver, type SessionRecord } from '../access/session.ts'
import { tenantStore } from '../access/tenants.ts'
import { ServiceError } from '../base/errors.ts'
import type { DevSession } from '../generated/dev-client/generated/types.gen.ts'
import { endExpiredSession } from '../sessions/end.ts'
import type { SessionsContext } from '../sessions/sessions-context.ts'
import type { OpenedRecord } from '../storage/records/sealed.ts'
import type { DevHandlersOf } from './handlers.ts'

/** As the contract says. */
const mostSessions = 100

interface DevSessionsContext extends SessionsContext {
  nowUs(tenant?: string): number
}

/** Shows the sessions of a tenant, and ends them. */
export function devSessions(context: DevSessionsContext): DevHandlersOf<'sessions'> {
  return {
    'dev.sessions.list': async ({ tenant }) => {
      const store = await tenantStore(context, tenant)
      const nowUs = context.nowUs(tenant)
      const page = { nowMs: nowUs / 1000, offset: 0, limit: mostSessions }
      const { records } = await store.findReadable<SessionRecord>('session', { op: 'all' }, page)
      return {
        status: 200,
        body: { data: records.filter(({ value }) => !isSessionOver(value, nowUs)).map(shown) },
      }
    },
    'dev.sessions.end': async ({ tenant, path }) => {
      const store = await tenantStore(context, tenant)
      // Another writer may come between: then it is read again.
      for (;;) {
        const session = await store.get<SessionRecord>('session', path.id)
        if (!session || isSessionOver(session.value, context.nowUs(tenant))) {
          throw new ServiceError('not_found', 'there is no such session, or it has expired')
        }
        if (await endExpiredSession(context, store, session)) return { status: 204 }
      }
    },
  }
}

function shown({ value, createdUs }: OpenedRecord<SessionRecord>): DevSession {
  const { id, application, grant, expires_ms } = value
  return {
    id,
    application_id: application,
    ...(grant
      ? {
          authorizer_id: grant.authorizer,
          permissions: [...grant.permissions],
          rules: grant.rules.length,
        }
      : {}),
    created_at: new Date(createdUs / 1000).toISOString(),
    expires_at: new Date(expires_ms).toISOString(),
  }
}
