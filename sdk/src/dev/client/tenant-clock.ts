import { devTenantClockAdvance } from './generated/operations.gen.ts'
import type { DevSend } from './send.ts'

/**
 * The clock of one tenant. Moving it does not affect other tenants, so that tests can run in parallel.
 *
 * @example
 * ```ts
 * const clock: DevTenantClock = dev.forTenant(tenant).tenantClock
 * await clock.advance('1h')
 * ```
 */
export interface DevTenantClock {
  now(): Promise<Date>
  /**
   * Moves the time of the tenant forward, by milliseconds or a duration such as `90s`, `15m`, `1h` or `2d`. Resolves
   * with the new time when everything of the tenant that fell due has ended.
   */
  advance(by: number | string): Promise<Date>
  /** Moves the time of the tenant to this one, which must not be before it. */
  set(time: Date | string): Promise<Date>
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns a duration in milliseconds. @throws {TypeError} */
export function milliseconds(duration: number | string): number {
  if (typeof duration === 'number') return duration
  const [, amount = '', unit = ''] = /^(\d+)(ms|s|m|h|d)$/.exec(duration) ?? []
  const ms = units[unit]
  if (ms === undefined)
    throw new TypeError('a duration is a number of ms, or a text such as 90s, 15m, 1h or 2d')
  return Number(amount) * ms
}

export function tenantClock(send: DevSend): DevTenantClock {
  const move = async (body: { advance_ms?: number; now?: string }) =>
    new Date((await send(devTenantClockAdvance, { body })).now)
  return {
    now: () => move({}),
    advance: async by => move({ advance_ms: milliseconds(by) }),
    set: async time => move({ now: typeof time === 'string' ? time : time.toISOString() }),
  }
}
