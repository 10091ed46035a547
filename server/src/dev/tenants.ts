import type { ApplicationRecord } from '../access/application.ts'
import type { Applications } from '../access/applications.ts'
import { isSessionOver, type SessionRecord } from '../access/session.ts'
import { initialRights, tenantStore } from '../access/tenant-settings.ts'
import { invalid, ServiceError } from '../base/errors.ts'
import type { CreateApplicationRequest } from '../contract/types.ts'
import type { DevSession } from '../generated/dev-client/generated/types.gen.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { OpenedRecord, Records } from '../storage/records/records.ts'
import type { DevHandlersOf } from './handlers.ts'

/** As the contract says. */
const mostApplications = 1000
const mostSessions = 100

/** A century, as for the clock of the vault. */
const furthestMs = 3_153_600_000_000

interface TenantTools {
  readonly store: Records
  readonly sessions: Sessions
  readonly applications: Applications
  /** Returns the time of a tenant in epoch microseconds. */
  nowUs(tenant?: string): number
  /** Moves the clock of one tenant, so that tests that run in parallel do not expire each other's tokens. */
  advanceTenant(tenant: string, ms: number): Promise<void>
  /** Returns a key by its digest, if it is known. */
  keyOf(digest: string): string | undefined
}

/** Handlers of one tenant: its applications with their keys, its sessions, its clock. */
export function tenantHandlers(
  tools: TenantTools,
): DevHandlersOf<'applications'> & DevHandlersOf<'sessions'> & DevHandlersOf<'tenantClock'> {
  const nowMs = (tenant: string) => Math.floor(tools.nowUs(tenant) / 1000)
  const firstOf = (tenant: string, limit: number) => ({
    nowMs: tools.nowUs(tenant) / 1000,
    offset: 0,
    limit,
  })
  return {
    'dev.applications.list': async ({ tenant }) => {
      const store = await tenantStore(tools.store, tenant)
      const page = firstOf(tenant, mostApplications)
      const { records } = await store.findReadable<ApplicationRecord>('application', { op: 'all' }, page)
      const data = records.map(({ value: { id, name, type, key_digest } }) => {
        const key = tools.keyOf(key_digest)
        return { id, name, type, ...(key === undefined ? {} : { key }) }
      })
      return { status: 200, body: { data } }
    },
    'dev.applications.create': async ({ tenant, body }) => {
      const { type = 'private', name = 'Test', permissions = [], rules = [], ...rest } = body ?? {}
      const given = permissions.length + rules.length > 0 ? { permissions, rules } : initialRights(type)
      const input = { name, type, ...rest, ...given } as CreateApplicationRequest
      const { id, key } = await tools.applications.create({ tenant, application: null }, input)
      return { status: 201, body: { application_id: id, key } }
    },
    'dev.sessions.list': async ({ tenant }) => {
      const store = await tenantStore(tools.store, tenant)
      const nowUs = tools.nowUs(tenant)
      const page = firstOf(tenant, mostSessions)
      const { records } = await store.findReadable<SessionRecord>('session', { op: 'all' }, page)
      const data = records.filter(({ value }) => !isSessionOver(value, nowUs)).map(shown)
      return { status: 200, body: { data } }
    },
    'dev.sessions.end': async ({ tenant, path }) => {
      const store = await tenantStore(tools.store, tenant)
      // Another writer may come between: then it is read again.
      for (;;) {
        const session = await store.get<SessionRecord>('session', path.id)
        if (!session || isSessionOver(session.value, tools.nowUs(tenant))) {
          throw new ServiceError('not_found', 'there is no such session, or it has expired')
        }
        if (await tools.sessions.endExpired(store, session)) return { status: 204 }
      }
    },
    'dev.tenantClock.advance': async ({ tenant, body }) => {
      if (body.now !== undefined && body.advance_ms !== undefined) {
        throw invalid('now', 'must not be given together with advance_ms')
      }
      const ms = body.now === undefined ? (body.advance_ms ?? 0) : Date.parse(body.now) - nowMs(tenant)
      if (ms < 0) throw invalid('now', 'must not be before the time of the tenant: a clock does not go back')
      if (ms > furthestMs) throw invalid('now', 'must be at most a century after the time of the tenant')
      await tools.advanceTenant(tenant, Math.ceil(ms))
      return { status: 200, body: { now: new Date(nowMs(tenant)).toISOString() } }
    },
  }
}

function shown({ value, createdUs }: OpenedRecord<SessionRecord>): DevSession {
  const { id, application, grant, expires_ms } = value
  const granted = grant && {
    authorizer_id: grant.authorizer,
    permissions: [...grant.permissions],
    rules: grant.rules.length,
  }
  return {
    id,
    application_id: application,
    ...granted,
    created_at: new Date(createdUs / 1000).toISOString(),
    expires_at: new Date(expires_ms).toISOString(),
  }
}
