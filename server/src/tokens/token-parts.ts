import type { Caller } from '../access/caller.ts'
import { type RoomParts, Scope } from '../access/room.ts'
import type { AuditedAction } from '../audit/entries.ts'
import type { AuditRecorder } from '../audit/recorder.ts'
import { Channel } from '../base/channel.ts'
import type { Turns } from '../base/flow/turns.ts'
import type { Dialect } from '../contract/dialect.ts'
import type { TokenPermission } from '../contract/types.ts'
import type { ContractSchemas } from '../contract/validators.ts'
import type { Expressions } from '../expressions/engine.ts'

export interface TokenParts extends RoomParts {
  readonly expressions: Expressions
  readonly validators: ContractSchemas
  /** For actions that are audited although they change nothing. */
  readonly audit: Pick<AuditRecorder, 'record'>
  /** What is accepted beyond the contract. */
  readonly dialect: Dialect | undefined
  /** Those of requests on the event loop. */
  readonly turns: Turns
  readonly channels: TokenChannels
}

/** What happens to tokens that no answer and no log says, for whoever listens. */
export class TokenChannels {
  readonly erased = new Channel<ErasedToken>()
  /** An expression of a mask that gave nothing, in the course of a request. */
  readonly emptyMask = new Channel<EmptyMask>()
}

interface EmptyMask {
  readonly caller: Caller
  readonly token: string
  readonly path: string
  readonly reason: string
}

export interface ErasedToken {
  readonly tenant: string
  readonly id: string
  /** When it expired; absent if it was deleted. Epoch milliseconds. */
  readonly expiredMs: number | undefined
}

/** The reason of a `not_found`: the tokens that are not there, as far as it is known with the time at which they expired. */
export interface AbsentTokens {
  readonly absent: readonly { readonly id: string; readonly expiredMs?: number | undefined }[]
}

/** The tokens of one tenant, as a request of a caller works on them. */
export class TenantTokens extends Scope<TokenParts> {
  /** Lets others go first if it is their turn. @throws {ServiceError} if the caller is gone */
  pass(): undefined | Promise<void> {
    return this.parts.turns.pass(this.caller)
  }
}

/** A caller, or the system itself if there is no application. */
export interface Actor {
  readonly application: string | null
  readonly session?: string | undefined
}

/** Describes an action on a token, or on several, for the audit log: the ids, never the contents. */
export function tokenAction(operation: string, id: string | readonly string[], actor: Actor): AuditedAction {
  return {
    operation,
    entity_type: 'token',
    entity_id: id,
    actor: actor.application,
    session: actor.session,
  }
}

/**
 * Records that a request reveals tokens: one entry for all of them, as each would cost more than its token.
 *
 * @param ids at most as many as one request may name
 */
export async function recordReveal(
  { parts: { audit }, caller }: TenantTokens,
  operation: TokenPermission,
  ids: Iterable<string>,
): Promise<void> {
  const revealed = [...ids]
  if (revealed.length > 0) await audit.record(caller.tenant, tokenAction(operation, revealed, caller))
}
