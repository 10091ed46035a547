import type { Caller } from '../access/caller.ts'
import type { Delegation } from '../access/delegation.ts'
import type { Semaphores } from '../base/flow/semaphore.ts'
import type { FormulasContext } from '../formulas/find.ts'
import type { Sandbox, ServiceTransport } from '../sandbox/sandbox.ts'
import type { TokensContext } from '../tokens/tokens-context.ts'
import type { Jobs } from '../webhooks/webhooks.ts'
import type { FormulaConsole } from './console.ts'

/** True if a test has ordered that no process is free for a run of a reactor. An asynchronous run has no caller who waits. */
export type IsHeldBusy = (caller: Caller, reactor: string, lane: 'sync' | 'async') => Promise<boolean>

/** Used by the verbs of this folder. */
export interface ReactorsContext extends FormulasContext {
  readonly tokens: TokensContext
  /** Runs the code. */
  readonly sandbox: Sandbox
  /** Starts a process that runs code, so that the first invocation of a tenant need not wait for it. */
  warmSandbox(tenant: string): void
  /** Keeps asynchronous invocations. */
  readonly jobs: Jobs
  /** Keeps the lines that formulas print; absent unless this is a development server. */
  readonly console?: FormulaConsole | undefined
  /** True if a test has ordered that no process is free for this run. */
  readonly isHeldBusy?: IsHeldBusy | undefined
  /**
   * Runs changes of the reactors of a tenant one at a time: all of them count the uses of formulas in the same records, so
   * that n at once would need n² attempts.
   */
  readonly changes: Semaphores
  /** Answers the requests of a formula's client, under a delegation. */
  service(delegation: Delegation): ServiceTransport
}
