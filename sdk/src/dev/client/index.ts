export type { AskedRequest } from './asked.ts'
export { DevAssertionError } from './assertion-error.ts'
export { hearConsoleOf } from './consoles.ts'
export {
  Dev,
  type DevApplication,
  type DevClock,
  type DevRights,
  type DevTenant,
  type DevTenantKeys,
} from './dev.ts'
export {
  DevEgress,
  DevEgressRequests,
  type EgressAnswer,
  type EgressFilter,
  type EgressFunction,
  type EgressTarget,
  type ExpectedEgress,
} from './egress.ts'
export type { DevEvent } from './events.ts'
export { DevFaults, type FaultOptions, type ScenarioOptions } from './faults.ts'
export type {
  DevAnswer,
  DevAnswerRequest,
  DevAttempt,
  DevConsoleLine,
  DevDifference,
  DevFault,
  DevFaultRequest,
  DevFixtures,
  DevMatchedRequests,
  DevNearestRequest,
  DevOrderedAnswer,
  DevOutgoingPattern,
  DevOutgoingRequest,
  DevRecordedRequest,
  DevRequestPattern,
  DevSession,
  DevWebhook,
} from './generated/types.gen.ts'
export { DevInbox } from './inbox.ts'
export type {
  DevLeakOptions,
  DevLeakPlace,
  DevLeakReport,
  DevLeakSource,
  DevLeaks,
  DevLeakWatch,
} from './leaks.ts'
export { type DevBank, type DevCard, type DevCardOptions, DevMake } from './make.ts'
export { requestMatchers } from './matchers.ts'
export type { OperationName } from './operation-name.ts'
export type { SilenceOptions } from './recorded.ts'
export {
  DevRequests,
  type ExpectedRequest,
  type RequestFilter,
  type RequestPattern,
} from './requests.ts'
export { DevError, type DevOptions } from './send.ts'
export { DevSessions } from './sessions.ts'
export { type DevTenantClock, milliseconds } from './tenant-clock.ts'
export type { DevWritable } from './watch.ts'
