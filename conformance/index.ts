/**
 * @module @surrogate/conformance
 * Runs the cases against a server and says in TAP what held.
 */
export type { Case, Exchange, Target } from './harness/target.ts'
export { main } from './main.ts'
export { run, type Verdict } from './run.ts'
