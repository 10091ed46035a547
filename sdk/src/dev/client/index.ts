export { Dev, type DevClock, type DevTenantKeys } from './dev.ts'
export type { DevConsoleLine } from './generated/types.gen.ts'
export { DevError, type DevOptions } from './send.ts'
