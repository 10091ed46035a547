/**
 * @module @surrogate/conformance
 * Runs the cases against a server and reports which requirements it meets.
 */
export type { Capability } from './capabilities.ts'
export { type Feature, features } from './features.ts'
export type { Profile } from './harness/finding.ts'
export type { Exchange, Reply, Target } from './harness/target.ts'
export type { Fetch } from './harness/transport.ts'
export { main } from './main.ts'
export { redactor } from './redact.ts'
export { type Report, reportOf } from './report/model.ts'
export { writeReport } from './report/write.ts'
export type { Result } from './result.ts'
export { type Run, type RunOptions, run } from './run.ts'
export { exitCodes, type Outcome, outcomeOf, type Tally, type Verdict } from './verdict.ts'
