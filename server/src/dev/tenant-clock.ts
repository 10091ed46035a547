import { invalid } from '../base/errors.ts'
import type { DevHandlersOf } from './handlers.ts'

interface TenantClockContext {
  /** Returns the time of a tenant in epoch microseconds. */
  nowUs(tenant: string): number
  advanceTenant(tenant: string, ms: number): Promise<void>
}

/** A century, as for the clock of the vault. */
const furthestMs = 3_153_600_000_000

/** Moves the clock of one tenant, so that tests that run in parallel do not expire each other's tokens. */
export function devTenantClock(context: TenantClockContext): DevHandlersOf<'tenantClock'> {
  const nowMs = (tenant: string) => Math.floor(context.nowUs(tenant) / 1000)
  return {
    'dev.tenantClock.advance': async ({ tenant, body }) => {
      if (body.now !== undefined && body.advance_ms !== undefined) {
        throw invalid('now', 'must not be given together with advance_ms')
      }
      const ms = body.now === undefined ? (body.advance_ms ?? 0) : Date.parse(body.now) - nowMs(tenant)
      if (ms < 0) throw invalid('now', 'must not be before the time of the tenant: a clock does not go back')
      if (ms > furthestMs) throw invalid('now', 'must be at most a century after the time of the tenant')
      await context.advanceTenant(tenant, Math.ceil(ms))
      return { status: 200, body: { now: new Date(nowMs(tenant)).toISOString() } }
    },
  }
}
