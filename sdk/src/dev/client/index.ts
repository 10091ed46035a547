export {
  Dev,
  type DevApplication,
  type DevClock,
  type DevRights,
  type DevTenant,
  type DevTenantKeys,
} from './dev.ts'
export type { DevConsoleLine } from './generated/types.gen.ts'
export { DevError, type DevOptions } from './send.ts'
export type { DevTenantClock } from './tenant-clock.ts'
