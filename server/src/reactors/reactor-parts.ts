import type { Caller } from '../access/caller.ts'
import type { Delegation } from '../access/delegation.ts'
import type { RoomParts, Scope } from '../access/room.ts'
import type { AuditRecorder } from '../audit/recorder.ts'
import type { Channel } from '../base/channel.ts'
import type { Places } from '../base/flow/places.ts'
import type { RequestPlaces } from '../base/flow/request-places.ts'
import type { Turns } from '../base/flow/turns.ts'
import type { Suspect } from '../contract/spellings.ts'
import type { Formulas } from '../formulas/formulas.ts'
import type { Sandbox, ServiceTransport } from '../sandbox/sandbox.ts'
import type { Tokens } from '../tokens/tokens.ts'
import type { Jobs } from '../webhooks/webhooks.ts'

/** The reactors of one tenant, as a request of a caller works on them. */
export type TenantReactors = Scope<ReactorParts>

export interface ReactorParts extends RoomParts {
  readonly formulas: Formulas
  readonly tokens: Tokens
  /** Records uses, which change nothing. */
  readonly audit: Pick<AuditRecorder, 'record'>
  /** Runs the code. */
  readonly sandbox: Sandbox
  /** Starts a process that runs code, so that the first invocation of a tenant need not wait for it. */
  warmSandbox(tenant: string): void
  /** Keeps asynchronous invocations. */
  readonly jobs: Jobs
  /**
   * Runs changes of the reactors of a tenant one at a time: all of them count the uses of formulas in the same records, so
   * that n at once would need n² attempts.
   */
  readonly changes: Places
  /** Those that invocations give back before their formula runs. */
  readonly places: Pick<RequestPlaces, 'release'>
  readonly turns: Turns
  /** Answers the requests of a formula's client, under a delegation. */
  service(delegation: Delegation): ServiceTransport
  /** True to refuse arguments that a formula does not declare. Otherwise they are removed. */
  readonly strict: boolean
  /** Arguments that were removed. */
  readonly undeclared: Channel<UndeclaredArguments>
}

/** Arguments of an invocation that its formula does not declare. */
export interface UndeclaredArguments {
  readonly caller: Caller
  readonly found: readonly Suspect[]
}
